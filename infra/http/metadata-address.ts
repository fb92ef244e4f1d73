import ipaddr from 'ipaddr.js'
import { embeddedAddresses } from './embedded-address.ts'

/**
 * Link-local ranges, where clouds keep what tells a machine its own credentials, and the places outside of them that
 * some clouds use for it: AWS and Google over IPv6, Alibaba, Oracle.
 */
const RANGES_V4 = ['169.254.0.0/16', '100.100.100.200/32', '192.0.0.192/32'].map((range) =>
  ipaddr.IPv4.parseCIDR(range),
)
const RANGES_V6 = ['fe80::/10', 'fd00:ec2::254/128', 'fd20:ce::254/128'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
)
const NAMES = /^metadata(\.google\.internal|\.goog)?\.?$/i

/**
 * Whether an IP address (as text) is link-local or a cloud's metadata service, or may lead there by what it embeds: no model is ever run there, and whoever
 * may ask it may become the machine.
 */
export function isMetadataAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  if (address instanceof ipaddr.IPv4) return RANGES_V4.some((range) => address.match(range))
  return (
    RANGES_V6.some((range) => address.match(range)) ||
    embeddedAddresses(address).some(isMetadataAddress)
  )
}

/** Names that clouds give to it, for where a name is not resolved here. */
export const isMetadataName = (host: string): boolean => NAMES.test(host)
