"""What a recording keeps of the kernel's command line."""

from fsadvisor.machine.redaction import boot_parameters_about_storage


def test_storage_parameters_stay_and_secrets_go():
    line = "BOOT_IMAGE=/x root=UUID=1 ro rootflags=data=journal iscsi.password=hush libata.force=noncqtrim -- --token x"
    assert boot_parameters_about_storage(line) == "root=UUID=1 ro rootflags=data=journal libata.force=noncqtrim\n"
