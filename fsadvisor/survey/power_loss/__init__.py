"""Power-loss protection: everything that speaks for and against it, weighed into a verdict.

proven   the device itself shows it, and nothing speaks against it: capacitors that it reports, a test that means them
         for its family, or no volatile cache where its family is sold as protected
claimed  somebody says so: the maker of the family, a data sheet, the device without a test
partial  what is on the media stays, what was acknowledged and is on its way does not
absent   there is none
failed   there was some, and it does not work now
unknown  all that could be asked was asked, and nothing decides

While something that could decide was not asked (not root, no tool, no answer), the fact is not known at all. A failure
overrules everything; what a hypervisor, a cloud or a USB bridge shows is never proven; a contradiction between sources
is shown and takes away what rested on it.
"""

from fsadvisor.survey.power_loss.evidence import Controller, DriveEvidence, Evidence, by_controller
from fsadvisor.survey.power_loss.verdict import PowerLossVerdict, weakest, weigh

__all__ = ["Controller", "DriveEvidence", "Evidence", "PowerLossVerdict", "by_controller", "weakest", "weigh"]
