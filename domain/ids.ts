/** Identifiers. Each is its plain value with a brand, so that a token's id cannot stand where a channel's belongs. */
declare const idBrand: unique symbol
type Id<Base, Name extends string> = Base & { readonly [idBrand]: Name }

/** Number of the user in `identity.users`; also names the user's account. */
export type UserId = Id<number, 'UserId'>
export type TokenId = Id<number, 'TokenId'>
export type ChannelId = Id<number, 'ChannelId'>
/** `<account>@<revision>`: the account's number and the revision of its QuotaHeld. Given by the account's owner. */
export type HoldId = Id<string, 'HoldId'>
/** One run of one relay process: a UUID made at its start. Holds are never adopted by a later run. */
export type RelayId = Id<string, 'RelayId'>
/** What finds a request everywhere: answer header, log line, event. */
export type RequestId = Id<string, 'RequestId'>

export const userId = (value: number): UserId => positive(value, 'user id') as UserId
export const tokenId = (value: number): TokenId => positive(value, 'token id') as TokenId
export const channelId = (value: number): ChannelId => positive(value, 'channel id') as ChannelId
export const relayId = (value: string): RelayId => value as RelayId
export const requestId = (value: string): RequestId => value as RequestId
export const holdId = (account: UserId, revision: number): HoldId =>
  `${account}@${revision}` as HoldId

/** The account and the revision of the opening event that a hold's name carries. */
export function partsOfHold(hold: HoldId): { readonly account: UserId; readonly revision: number } {
  const [account, revision] = hold.split('@')
  return { account: userId(Number(account)), revision: Number(revision) }
}

function positive(value: number, what: string): number {
  if (!Number.isSafeInteger(value) || value <= 0) {
    throw new RangeError(`${what} must be a positive whole number, got ${value}`)
  }
  return value
}
