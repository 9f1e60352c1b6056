"""What is secret in the texts of a machine, and what is left of them. No other module decides that.

There are two levels:

- A SECRET opens something: a password, a key, a token, and what stands beside it (the user's name, the file that holds
  it). It is hidden before it becomes a fact: no report, page, plan, export or recording has it, on the owner's own
  terminal neither. `options` and `source` hide it.
- An IDENTITY tells whose machine it is: names of servers, shares, buckets and people, serials, addresses, comments.
  The owner's own report may name it where it helps (a mount point, a device). A recording, which promises to be
  anonymous, does not: machine/redaction.py leaves out what no verdict needs, of mounts with `anonymous_source`, and
  machine/identities.py has stand-ins for what verdicts do need.

Nobody can list all options that hold a password (each FUSE program has its own), so it is the harmless ones that are
listed: the value of any other is hidden.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HIDDEN: Final = "***"
"""What stands in the place of a secret. Hiding twice is hiding once."""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORDS: Final = _names("""
    acdirmax acdirmin acl_xattr acregmax acregmin actimeo active_logs alloc_mode allocsize atgc background_gc
    barrier bsize cache case checkpoint codepage commit compress compress-force compress_algorithm
    compress_extension compress_log_size compress_mode context data data_flush debug defcontext degraded discard
    discard_unit dir_mode dirmode dmask errors fault_injection fault_type fd file_mode filemode fmask force_ro
    fscontext fsync_mode fsuuid group grpquota huge index init_itable inline_xattr_size inode_readahead_blks io_size
    iocharset iosize iversion jdev jqfmt journal_ioprio journal_dev journal_path local_lock logbsize logbufs
    lookupcache max_batch_time max_dir_size_kb max_inline max_read maxproto memory metacopy metadata_ratio
    min_batch_time minorversion minproto mode mountport mountproto mountvers mpol namlen nconnect nfsvers nls
    nr_blocks nr_inodes offset order pgrp port posix pri prjquota proto ptmxmode rasize rdirplus redirect_dir
    retrans retry rootcontext rsize sb sec sector_size seclabel sizelimit size si space_cache stride stripe subvolid
    sunit swidth test_dummy_encryption thread_pool_size timeo timeout trans tz umask usrquota utf8 uuid verity vers
    version volatile wdelay whint_mode wsize xino x-systemd.automount x-systemd.device-bound
    x-systemd.device-timeout x-systemd.growfs x-systemd.idle-timeout x-systemd.makefs x-systemd.mount-timeout
    x-systemd.rw-only x-initrd.mount X-mount.mkdir X-fstrim.notrim
""")
"""Options whose value says how, by a word or a number."""
_WORD: Final = r'"?[A-Za-z0-9_.:;+%~-]{0,40}(?:,c\d+)*"?'
_PEOPLE: Final = _names("gid group_id resgid resuid uid user_id")
"""Options that name a person or a group by its number, or else by its name."""
_PLACES: Final = _names("""
    data_log device loop lowerdir lowerdir+ datadir+ upperdir workdir logdev rescue rtdev subvol release_agent
    x-systemd.after x-systemd.before x-systemd.required-by x-systemd.requires x-systemd.requires-mounts-for
    x-systemd.wanted-by
""")
"""Options whose value is a place on this machine."""
_FLAGS: Final = _names("""
    _netdev acl allow_other async atime attr2 auto autodefrag barrier bh bind bsddf bsdgroups cifsacl datacow
    datasum defaults default_permissions delalloc delaylog dev dioread_lock dioread_nolock diratime direct dirsync
    discard enospc_debug exec extent_cache fg flush flush_merge flushoncommit forcegid forceuid fsc grpid hard
    i_version ikeep inline_data inline_dentry inline_xattr inode32 inode64 inode_cache intr iversion
    journal_async_commit journal_checksum largeio lazytime lock loop mand mapposix mfsymlinks nobarrier nodev noexec
    nofail nosuid noatime noauto nodiratime noquota norecovery nouser nouuid nounix noperm owner posixpaths posix
    pquota prjquota private quiet rbind recovery relatime remount resvport ro rshared rslave rw seclabel serverino
    shared silent slave soft softerr space_cache ssd ssd_spread strictatime suid sw symfollow sync sysvgroups tcp
    udp uquota user user_xattr users usrquota volatile wsync
""")
"""Options without a value that stay where they may be no more than the rest of a password that has a comma."""
_OF_CREDENTIALS: Final = _names("""
    access_key_id addr clientaddr conf config cred credentials credential_process dom domain domainauto fsid
    identityfile key keyfile keyring keytab login mountaddr mon_addr mon_host name netbiosname pass passfile
    passphrase passwd passwd_file password password2 private_key rclone_config secret secret_access_key secret_key
    secretfile secrets servern session_token ssh_command token tls_certificate tls_key unc url user username
    workgroup x-gvfs-name
""")
"""Names that are shown though their values are not."""

_OPTION: Final = r'(?:="[^"]*"(?=,|\Z)|\\,|[^,])+'
_ESCAPE: Final = r"\\([0-3][0-7]{2})"
_TO_ESCAPE: Final = r"[ \t\n\\#]"
_FIELDS: Final = r"([ \t]*)([^ \t]+)"
_ANNOUNCES: Final = "(?:pass|pw|phrase|secret|token|cred|auth|key|login)"
_SECRET_ARGUMENT: Final = rf"(?i)-p(?:/|$)|-.*{_ANNOUNCES}"
_PLAIN_REMARK: Final = rf"#(?!.*{_ANNOUNCES})[a-z ,.()'-]*"
"""A remark of ordinary words, none of which announces a password."""
_LOCAL_NAMES: Final = ("UUID=", "LABEL=", "PARTUUID=", "PARTLABEL=", "ID=", "/dev/")
_USER_IN_URL: Final = r"^([A-Za-z][\w+.-]*[:#](?://)?|//)?.*@"
_OF_NO_SERVER: Final = r"[^:@#=]*"
_BEHIND_EQUALS: Final = r"(?s)=.*"
_NETWORK: Final = _names("""
    9p afs beegfs ceph cephfs cifs coda davfs davfs2 glusterfs gpfs lustre ncpfs nfs nfs4 orangefs smb3 smbfs
    virtiofs curlftpfs s3fs sshfs rclone
""")


def options(given: Iterable[str]) -> tuple[str, ...]:
    """Mount options without a secret."""
    return _shown_options(tuple(given))


@lru_cache(maxsize=512)
def _shown_options(given: tuple[str, ...]) -> tuple[str, ...]:
    """One object for all that are alike: thousands of filesystems have the same few."""
    return tuple(_options(given))


def _options(given: Iterable[str]) -> Iterator[str]:
    after_secret = False
    for option in given:
        name, equals, value = option.partition("=")
        if equals and _is_harmless(name, value):
            yield option
        elif equals and (name in _OF_CREDENTIALS | _WORDS | _PEOPLE or not after_secret):
            yield f"{name}={HIDDEN}"
            after_secret = True
        elif equals or (after_secret and name not in _FLAGS):
            yield HIDDEN
        else:
            yield option


def _is_harmless(name: str, value: str) -> bool:
    if name in _PEOPLE:
        return value.isdigit()
    return name in _PLACES or (name in _WORDS and re.fullmatch(_WORD, value) is not None)


def announced_by(argument: str) -> bool:
    """Whether an argument of a program is an option for a secret, with it or before it."""
    return re.match(_SECRET_ARGUMENT, argument) is not None


def hides(text: str) -> bool:
    """Whether something was hidden in it, which can't be compared or written back."""
    return HIDDEN in text


@lru_cache(maxsize=512)
def source(text: str) -> str:
    """What is mounted, without the name and password of who mounts it."""
    if text.startswith(_LOCAL_NAMES):
        return text
    text = re.sub(_BEHIND_EQUALS, f"={HIDDEN}", text)
    return re.sub(_USER_IN_URL, rf"\g<1>{HIDDEN}@", text) if "@" in text else text


def fstab_line(line: str) -> str:
    r"""A line of fstab as a plan may show it: an entry without its secrets, its blanks as they are; of a comment, '#'.

    Passwords stand in any place: before the server's name, behind the sixth field, where all is passed over, in a
    comment, and with some of their characters as octal escapes.
    """
    fields = re.findall(_FIELDS, line)
    if fields and fields[0][1].startswith("#"):
        return "#"
    shown = [_SHOWN_FIELDS[min(number, len(_SHOWN_FIELDS) - 1)](field) for number, (_, field) in enumerate(fields)]
    if re.fullmatch(_PLAIN_REMARK, " ".join(field for _, field in fields[6:])):
        shown[6:] = [field for _, field in fields[6:]]
    return "".join(f"{blank}{field}" for (blank, _), field in zip(fields, shown, strict=True))


def written_options(field: str) -> str:
    """A field of options as a mount table has it, its escapes as they are where nothing is hidden."""
    return _as_written(field, joined_options(_unescaped(field)))


def joined_options(text: str) -> str:
    """Options between commas, as a unit has them; the text as it is where nothing is hidden."""
    given = tuple(re.findall(_OPTION, text))
    shown = options(given)
    return text if shown == given else ",".join(shown)


def anonymous_source(fs_type: str, field: str) -> str:
    """What is mounted, as a field of a mount table: a device of this machine, or nothing of what a server has."""
    name = _unescaped(field)
    kind = fs_type.partition(".")[0]
    if name.startswith(_LOCAL_NAMES) or name in (fs_type, "none") or kind == "zfs":
        return field
    of_server = kind == "fuse" or kind in _NETWORK or name.startswith("//") or not re.fullmatch(_OF_NO_SERVER, name)
    return HIDDEN if of_server else field


def _spec(field: str) -> str:
    return _as_written(field, source(_unescaped(field)))


def _number(field: str) -> str:
    """A password with a blank in it goes on here: of no filesystem is the freq or the passno above 9."""
    return field if re.fullmatch("[0-9]", field) else HIDDEN


def _word(field: str) -> str:
    """Where a field is missing, options stand in the place of the mount point or of the type."""
    return field if field.startswith("/") or "=" not in _unescaped(field) else HIDDEN


_SHOWN_FIELDS: Final = (_spec, _word, _word, written_options, _number)


def _as_written(field: str, shown: str) -> str:
    return field if shown == _unescaped(field) else re.sub(_TO_ESCAPE, lambda sign: f"\\{ord(sign[0]):03o}", shown)


def _unescaped(field: str) -> str:
    return re.sub(_ESCAPE, lambda escape: chr(int(escape[1], 8)), field)
