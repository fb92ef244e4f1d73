import ipaddr from 'ipaddr.js'
import { embeddedAddresses, NAT64 } from './embedded-address.ts'

/** All that is routed on the public internet (RFC 4291, IANA's allocation); whatever lies outside is special. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an IP address (as text) belongs to the public internet: neither loopback, private, link-local, shared,
 * multicast, reserved, nor an IPv6 form that leads to such an IPv4 address. A text that is no IP address is not public.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast'
  if (address.match(NAT64)) return embeddedAddresses(address).every(isPublicAddress)
  return address.match(GLOBAL_UNICAST) && address.range() === 'unicast'
}
