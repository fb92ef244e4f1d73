import { endOfString } from '../../json-scan.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/**
 * Members of a message in OpenAI's API (platform.openai.com/docs/api-reference/chat/create). It refuses any other, and
 * consoles send their own members of a message with it: `id`, `createAt`, `status`.
 */
const KNOWN: ReadonlySet<string> = new Set([
  'role',
  'content',
  'name',
  'refusal',
  'audio',
  'function_call',
  'tool_calls',
  'tool_call_id',
])
/** The rules for the members of messages. */
export interface MessageRules {
  isKnown(key: string): boolean
  /** Other JSON for a value, given the value's JSON; null = it stays. */
  replacement(key: string, json: Buffer): string | null
}

/** Longer than any of them as JSON writes it, every letter escaped. */
const KEY_BYTES_MAX = 100
/** Depth of the body's members, of the list of messages, and of a message's members. */
const BODY = 1
const LIST = 2
const MESSAGE = 3

/** Where a message stands in the bytes, and those of its members that stay. */
interface Message {
  readonly start: number
  readonly kept: Buffer[]
  hasOthers: boolean
}

/** A request's body with only those members of its messages that OpenAI knows. */
export const withKnownMessageMembers = (json: Buffer): Buffer =>
  withMessageMembers(json, { isKnown: (key) => KNOWN.has(key), replacement: () => null })

/**
 * A request's body with the members of its messages by `rules`, everything else as it was written. `json` must be a
 * request that has been read already. Linear in its bytes, and nothing is parsed but keys, and what a rule parses.
 */
export function withMessageMembers(json: Buffer, rules: MessageRules): Buffer {
  const parts: Buffer[] = []
  const isObject: boolean[] = []
  let copied = 0
  let depth = 0
  let expectsKey = false
  let isInMessages = false
  let message: Message | null = null
  let memberStart = -1
  let key = ''
  let valueStart = -1
  let lastEnd = 0
  const endMember = (): void => {
    if (message === null || memberStart === -1) return
    const other = rules.replacement(key, json.subarray(valueStart, lastEnd))
    if (other !== null) message.kept.push(Buffer.from(`${JSON.stringify(key)}:${other}`))
    else if (rules.isKnown(key)) message.kept.push(json.subarray(memberStart, lastEnd))
    if (other !== null || !rules.isKnown(key)) message.hasOthers = true
    memberStart = -1
  }
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0
    if (byte <= 0x20) continue
    if (byte === QUOTE) {
      const end = endOfString(json, at)
      if (expectsKey && depth === BODY) isInMessages = keyAt(json, at, end) === 'messages'
      if (expectsKey && depth === MESSAGE && message !== null) {
        memberStart = at
        key = keyAt(json, at, end)
        valueStart = -1
      }
      expectsKey = false
      at = end - 1
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1
      expectsKey = byte === OPEN_BRACE
      isObject[depth] = expectsKey
      const isMessage = depth === MESSAGE && isInMessages && expectsKey && isObject[LIST] === false
      if (isMessage) message = { start: at, kept: [], hasOthers: false }
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === MESSAGE && message !== null) {
        endMember()
        if (message.hasOthers) {
          parts.push(json.subarray(copied, message.start), objectOf(message.kept))
          copied = at + 1
        }
        message = null
      }
      depth -= 1
      expectsKey = false
    } else if (byte === COLON) {
      if (depth === MESSAGE && valueStart === -1) valueStart = at + 1
    } else if (byte === COMMA) {
      if (depth === MESSAGE) endMember()
      expectsKey = isObject[depth] === true
    }
    lastEnd = at + 1
  }
  if (copied === 0) return json
  parts.push(json.subarray(copied))
  return Buffer.concat(parts)
}

function objectOf(members: readonly Buffer[]): Buffer {
  const separated = members.flatMap((member, index) =>
    index === 0 ? [member] : [Buffer.from(','), member],
  )
  return Buffer.concat([Buffer.from('{'), ...separated, Buffer.from('}')])
}

/** A key's text; '' of one that is too long to be known. */
function keyAt(json: Buffer, start: number, end: number): string {
  if (end - start > KEY_BYTES_MAX) return ''
  const text: unknown = JSON.parse(json.toString('utf8', start, end))
  return typeof text === 'string' ? text : ''
}
