import { isObject, parseForeign } from '../../json.ts'
import { fittingCallId } from '../chat/call-ids.ts'
import type { EditedMessages, MessageRulesName } from '../translation.ts'
import { type MessageRules, withMessageMembers } from './message-members.ts'
import { MISTRAL_MESSAGE } from './mistral-schema.ts'

const RULES: Readonly<Record<MessageRulesName, MessageRules>> = {
  system: { isKnown: () => true, replacement: systemForDeveloper },
  mistral: { isKnown: (key) => MISTRAL_MESSAGE.has(key), replacement: forMistral },
}

/** A chat's body with its messages as the vendor takes them; the same bytes where nothing has to change. */
export const withMessagesBy = (name: MessageRulesName, body: Buffer): Buffer =>
  withMessageMembers(body, RULES[name])

/** The same for the thread, which sends no unchanged bytes back: its caller has them. */
export function editedMessages(name: MessageRulesName, body: Buffer): EditedMessages {
  const edited = withMessagesBy(name, body)
  return { status: 'edited', raw: edited === body ? null : edited }
}

function systemForDeveloper(key: string, json: Buffer): string | null {
  return key === 'role' && shortText(json) === '"developer"' ? '"system"' : null
}

function forMistral(key: string, json: Buffer): string | null {
  switch (key) {
    case 'content':
      return shortText(json) === 'null' ? '""' : null
    case 'tool_call_id':
      return changed(json, otherCallId)
    case 'tool_calls':
      return changed(json, (calls) => {
        if (!Array.isArray(calls)) return calls
        return calls.map((call: unknown) =>
          isObject(call) && 'id' in call ? { ...call, id: otherCallId(call['id']) } : call,
        )
      })
    default:
      return systemForDeveloper(key, json)
  }
}

/** Mistral refuses other ids: "must be a-z, A-Z, 0-9, with a length of 9". */
const otherCallId = (id: unknown): unknown =>
  typeof id === 'string'
    ? fittingCallId(id, { fits: /^[A-Za-z0-9]{9}$/, before: '', digits: 9 })
    : id

/** The JSON of the changed value; null where nothing changes. */
function changed(json: Buffer, change: (value: unknown) => unknown): string | null {
  const value = parseForeign(json.toString('utf8'))
  const other = JSON.stringify(change(value))
  return other === JSON.stringify(value) ? null : other
}

/** Values that a rule looks for are shorter. */
const SHORT_BYTES_MAX = 100
const shortText = (json: Buffer): string =>
  json.length > SHORT_BYTES_MAX ? '' : json.toString('utf8').trim()
