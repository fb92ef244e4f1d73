import type { EditedMessages, MessageRulesName } from '../translation.ts'
import { type MessageRules, withMessageMembers } from './message-members.ts'
import { MISTRAL_MESSAGE } from './mistral-schema.ts'

const RULES: Readonly<Record<MessageRulesName, MessageRules>> = {
  system: { isKnown: () => true, replacement: systemForDeveloper },
  mistral: {
    isKnown: (key) => MISTRAL_MESSAGE.has(key),
    replacement: (key, value) =>
      key === 'content' && value === 'null' ? '""' : systemForDeveloper(key, value),
  },
}

/** A chat's body with its messages as the vendor takes them; the same bytes where nothing has to change. */
export const withMessagesBy = (name: MessageRulesName, body: Buffer): Buffer =>
  withMessageMembers(body, RULES[name])

/** The same for the thread, which sends no unchanged bytes back: its caller has them. */
export function editedMessages(name: MessageRulesName, body: Buffer): EditedMessages {
  const edited = withMessagesBy(name, body)
  return { status: 'edited', raw: edited === body ? null : edited }
}

function systemForDeveloper(key: string, value: string): string | null {
  return key === 'role' && value === '"developer"' ? '"system"' : null
}
