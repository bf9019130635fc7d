"""A league as a static site: pages for any web space, which also open from the file system."""

from podium.web.publishing.addresses import StaticAddresses
from podium.web.publishing.site import Published, publish

__all__ = ["Published", "StaticAddresses", "publish"]
