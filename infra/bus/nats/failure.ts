import { NatsError } from 'nats'
import { messageOf } from '../../event-store/message-of.ts'

/** The meaning of the client's errors; their codes are texts of several kinds, and some messages are only a number. */

/** Nobody listens on the subject: no owner, no stream, no JetStream. A full stream has the same code. */
export const isNoResponders = (error: unknown): boolean =>
  isOf(error, '503') && error.jsError() === null

/** Beyond the server's max_payload. */
export const isTooLarge = (error: unknown): boolean => isOf(error, 'MAX_PAYLOAD_EXCEEDED')

/** For an operator. */
export function reasonOf(error: unknown): string {
  if (isNoResponders(error)) return 'nobody listens there'
  if (isOf(error, 'TIMEOUT')) return 'no answer in time'
  if (error instanceof NatsError) return error.jsError()?.description ?? messageOf(error)
  return messageOf(error)
}

const isOf = (error: unknown, code: string): error is NatsError =>
  error instanceof NatsError && error.code === code
