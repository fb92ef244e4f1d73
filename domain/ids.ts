/** Identifiers. Each is its plain value with a brand, so that a token's id cannot stand where a channel's belongs. */
declare const idBrand: unique symbol
type Id<Base, Name extends string> = Base & { readonly [idBrand]: Name }

/** Number of the user in `identity.users`; also names the user's account. */
export type UserId = Id<number, 'UserId'>
export type TokenId = Id<number, 'TokenId'>
export type ChannelId = Id<number, 'ChannelId'>
/** Number of a redemption code; the code itself lies in `secrets.redemptions`. */
export type RedemptionId = Id<number, 'RedemptionId'>
/** Our number of an online top-up's order, `USR7NOa1B2c31767225600`; payment gateways call it out_trade_no. */
export type TradeNo = Id<string, 'TradeNo'>
/** Number of the row in `identity.task_payloads`. */
export type TaskId = Id<number, 'TaskId'>
/**
 * `<account>@<revision>@<log>@<relay>`: the account's number, the revision of its QuotaHeld, and the timeline and relay
 * that it was opened in and for. So no name comes twice, also when the log is put back to an older state. Given by the
 * account's owner. Logs from before timelines have `<account>@<revision>`.
 */
export type HoldId = Id<string, 'HoldId'>
/** Identity of a log: a UUID, new when the log is made and whenever it is put back to an older state. */
export type LogId = Id<string, 'LogId'>
/** One run of one relay process: a UUID made at its start. Holds are never adopted by a later run. */
export type RelayId = Id<string, 'RelayId'>
/** UUID of an administrator's words in `identity.adjustment_notes`. */
export type NoteId = Id<string, 'NoteId'>
/** The id that finds a request everywhere: answer header, log line, event. */
export type RequestId = Id<string, 'RequestId'>

export const userId = (value: number): UserId => positive(value, 'user id') as UserId
export const tokenId = (value: number): TokenId => positive(value, 'token id') as TokenId
export const channelId = (value: number): ChannelId => positive(value, 'channel id') as ChannelId
export const redemptionId = (value: number): RedemptionId =>
  positive(value, 'redemption id') as RedemptionId
export const taskId = (value: number): TaskId => positive(value, 'task id') as TaskId
export const relayId = (value: string): RelayId => value as RelayId
export const requestId = (value: string): RequestId => value as RequestId
export const noteId = (value: string): NoteId => value as NoteId
export const logId = (value: string): LogId => value as LogId
/** `origin` null makes a name as they were before timelines. */
export const holdId = (
  account: UserId,
  revision: number,
  origin: { readonly log: LogId; readonly relay: RelayId } | null,
): HoldId =>
  (origin === null
    ? `${account}@${revision}`
    : `${account}@${revision}@${origin.log}@${origin.relay}`) as HoldId

/** The order number of a user's top-up. `letters` are six random letters and digits, `at` unix milliseconds. */
export const tradeNo = (user: UserId, letters: string, at: number): TradeNo =>
  `USR${user}NO${letters}${Math.floor(at / 1000)}` as TradeNo

/** A text from outside as an order number; null when it cannot be one of ours. */
export const readTradeNo = (text: string): TradeNo | null =>
  /^USR\d{1,16}NO[0-9A-Za-z]{6}\d{1,12}$/.test(text) ? (text as TradeNo) : null

/** The account, the revision of the opening event and the timeline (null before there were any) in a hold's name. */
export function partsOfHold(hold: HoldId): {
  readonly account: UserId
  readonly revision: number
  readonly log: LogId | null
} {
  const [account, revision, log] = hold.split('@')
  return {
    account: userId(Number(account)),
    revision: Number(revision),
    log: log === undefined ? null : logId(log),
  }
}

function positive(value: number, what: string): number {
  if (!Number.isSafeInteger(value) || value <= 0) {
    throw new RangeError(`${what} must be a positive whole number, got ${value}`)
  }
  return value
}
