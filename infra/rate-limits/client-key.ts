import ipaddr from 'ipaddr.js'

/** Bits of an IPv6 address that one subscriber has at least: who has one address of a /64 has all of them. */
const IPV6_PREFIX_BITS = 64

/**
 * The client that an address is counted for: an IPv4 address itself, an IPv6 address its /64. A text that is no address
 * stays as it is.
 */
export function clientKey(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const client = ipaddr.process(address)
  if (client instanceof ipaddr.IPv4) return client.toString()
  const network = client.parts.slice(0, IPV6_PREFIX_BITS / 16).map((part) => part.toString(16))
  return `${network.join(':')}::/${IPV6_PREFIX_BITS}`
}
