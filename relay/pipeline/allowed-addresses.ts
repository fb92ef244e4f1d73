import ipaddr from 'ipaddr.js'

/**
 * Whether a client may use a token that is bound to addresses and CIDR ranges (decision 21). An entry that cannot be
 * read allows no client: entries are checked when they are saved.
 */
export function isAllowedAddress(address: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0) return true
  if (!ipaddr.isValid(address)) return false
  const client = ipaddr.process(address)
  return allowed.some((entry) => matches(client, entry.trim()))
}

function matches(client: ipaddr.IPv4 | ipaddr.IPv6, entry: string): boolean {
  if (ipaddr.isValidCIDR(entry)) {
    const [network, bits] = ipaddr.parseCIDR(entry)
    return network.kind() === client.kind() && client.match(network, bits)
  }
  if (!ipaddr.isValid(entry)) return false
  const one = ipaddr.process(entry)
  // All bits, but not the zone (`%eth0`), which says by which card a client came in.
  return one.kind() === client.kind() && client.match(one, one.toByteArray().length * 8)
}
