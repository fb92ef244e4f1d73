import ipaddr from 'ipaddr.js'

/** RFC 6052's well-known prefix, under which a translator reaches the IPv4 address in the last 32 bits. */
export const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** Where forms of an IPv6 address that lead to an IPv4 address keep its four bytes. */
const FORMS: ReadonlyArray<{
  readonly prefix: ReturnType<typeof ipaddr.IPv6.parseCIDR>
  readonly bytes: readonly [number, number, number, number]
  readonly isInverted?: true
}> = [
  { prefix: NAT64, bytes: [12, 13, 14, 15] },
  // A network's own translator (RFC 8215), with a prefix of 96 or of 48 bits, which leaves out byte 8 (RFC 6052, 2.2).
  { prefix: ipaddr.IPv6.parseCIDR('64:ff9b:1::/48'), bytes: [12, 13, 14, 15] },
  { prefix: ipaddr.IPv6.parseCIDR('64:ff9b:1::/48'), bytes: [6, 7, 9, 10] },
  // 6to4 (RFC 3056), and Teredo's client (RFC 4380).
  { prefix: ipaddr.IPv6.parseCIDR('2002::/16'), bytes: [2, 3, 4, 5] },
  { prefix: ipaddr.IPv6.parseCIDR('2001::/32'), bytes: [12, 13, 14, 15], isInverted: true },
  // IPv4-compatible (RFC 4291, 2.5.5.1) and IPv4-translated (RFC 2765).
  { prefix: ipaddr.IPv6.parseCIDR('::/96'), bytes: [12, 13, 14, 15] },
  { prefix: ipaddr.IPv6.parseCIDR('::ffff:0:0:0/96'), bytes: [12, 13, 14, 15] },
]

/** The IPv4 addresses that an IPv6 address may lead to; ipaddr's `process` has taken the mapped ones before. */
export function embeddedAddresses(address: ipaddr.IPv6): readonly string[] {
  const all = address.toByteArray()
  return FORMS.filter(({ prefix }) => address.match(prefix)).map(({ bytes, isInverted }) =>
    bytes.map((at) => (all[at] ?? 0) ^ (isInverted ? 0xff : 0)).join('.'),
  )
}
