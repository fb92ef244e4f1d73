import { z } from 'zod'
import type { HoldId, RequestId } from '@tollgate/domain/ids.ts'
import {
  channelId,
  logId,
  noteId,
  relayId,
  requestId,
  tokenId,
  userId,
} from '@tollgate/domain/ids.ts'
import type { LogMark } from '@tollgate/domain/timeline/log-view.ts'
import { type Quota, quota } from '@tollgate/domain/quota.ts'

/** A message over the wire does not match the agreed schema; sending it again does not help. */
export class MessageInvalid extends Error {
  readonly code = 'WIRE_INVALID'
  readonly retryable = false
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'MessageInvalid'
  }
}

/** JSON as UTF-8, checked against what is expected. Throws MessageInvalid. */
export function decode<Shape>(schema: z.ZodType<Shape>, data: Uint8Array): Shape {
  const parsed = schema.safeParse(parse(data))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new MessageInvalid(`not the message that was expected: ${problems.join('; ')}`)
}

export const encode = (value: object): string => JSON.stringify(value)

function parse(data: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data))
  } catch (error) {
    throw new MessageInvalid('not JSON in UTF-8', error)
  }
}

/** Ids and amounts as they are on the wire, made into the domain's own types. */
export const userIdSchema = z.int().positive().transform(userId)
export const tokenIdSchema = z.int().positive().transform(tokenId)
export const channelIdSchema = z.int().positive().transform(channelId)
export const noteIdSchema = z.string().min(1).transform(noteId)
export const relayIdSchema = z.string().min(1).transform(relayId)
export const requestIdSchema: z.ZodType<RequestId> = z.string().min(1).transform(requestId)
export const holdIdSchema = z
  .string()
  .regex(/^[1-9]\d*@\d+(@[^@/\s]+@[^@/\s]+)?$/u, 'is not <account>@<revision>@<log>@<relay>')
  .transform((text) => text as HoldId)
/** At least 0. */
export const amountSchema: z.ZodType<Quota> = z.int().nonnegative().transform(quota)
/** May be negative. */
export const quotaSchema: z.ZodType<Quota> = z.int().transform(quota)
/** Sequence numbers and extension numbers. */
export const numberSchema = z.int().positive()

/** How far somebody has seen the log. */
export const logMarkSchema: z.ZodType<LogMark> = z.object({
  log: z.string().min(1).transform(logId),
  openedAt: z.number(),
  position: z.int(),
  hash: z.string(),
  stream: z.string(),
  revision: z.int(),
})
