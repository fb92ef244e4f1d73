import { hash, timingSafeEqual } from 'node:crypto'

/** Fields of a form or query of the EPay protocol (console-api 2.12), by name. */
export type EpayFields = Readonly<Record<string, string>>

/**
 * The protocol's own signature: MD5 over `name=value` of all fields but the empty ones and the signature itself, in
 * byte order of the names, not encoded, with the merchant's key right behind. Lower-case hex.
 */
export function epaySign(fields: EpayFields, key: string): string {
  const signed = Object.entries(fields)
    .filter(([name, value]) => name !== 'sign' && name !== 'sign_type' && value !== '')
    .toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
  return hash('md5', signed + key)
}

/** The fields with their signature; they must be unambiguous. */
export const withSign = (fields: EpayFields, key: string): EpayFields => ({
  ...fields,
  sign_type: 'MD5',
  sign: epaySign(fields, key),
})

/**
 * Whether no other fields have the same signature. The protocol signs names and values as they are, with one key for the
 * merchant's form and the gateway's notification: a value with `&x=y` in it would sign a field x as well.
 */
export const isUnambiguous = (fields: EpayFields): boolean =>
  Object.entries(fields).every(([name, value]) => !/[&=]/.test(name) && !value.includes('&'))

/** Fields of our form that no notification has. */
const FORM_ONLY = ['notify_url', 'return_url', 'device'] as const

/** Whether these are fields that a gateway says of a payment, and not our own form, which carries the same signature. */
export const isOfGateway = (fields: EpayFields): boolean =>
  (fields['trade_no'] ?? '') !== '' && FORM_ONLY.every((name) => fields[name] === undefined)

/** Whether the fields carry the signature that the key makes of them; takes as long for a wrong one as for the right. */
export function isSignedWith(fields: EpayFields, key: string): boolean {
  const given = Buffer.from((fields['sign'] ?? '').toLowerCase())
  const wanted = Buffer.from(epaySign(fields, key))
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
