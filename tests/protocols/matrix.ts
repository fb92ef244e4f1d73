import type { Operation } from '@tollgate/domain/routing/operation.ts'
import {
  type ChannelType,
  channelTypes,
  isBuilt,
  type UpstreamProtocolName,
} from '@tollgate/relay/channel-types.ts'
import type { ClientProtocolName } from '@tollgate/relay/protocols/model-request.ts'

/** Operations that clients can ask for, their addresses, and the protocol that asks so. */
const ASKED: ReadonlyArray<
  readonly [operation: Operation, address: string, protocol: ClientProtocolName]
> = [
  ['chat', '`/v1/chat/completions`', 'openai'],
  ['responses', '`/v1/responses`', 'responses'],
  ['messages', '`/v1/messages`', 'claude'],
  ['generate-content', '`:generateContent`', 'gemini'],
  ['completions', '`/v1/completions`', 'openai'],
  ['embeddings', '`/v1/embeddings`', 'openai'],
  ['embed-content', '`:embedContent`', 'gemini'],
]

/** Clients whose bytes a provider of that protocol takes as they are. */
const NATIVE: Readonly<Record<UpstreamProtocolName, ClientProtocolName>> = {
  openai: 'openai',
  claude: 'claude',
  bedrock: 'claude',
  gemini: 'gemini',
  responses: 'responses',
}

/** How a channel type answers an operation; '' = it is never asked. */
export function fitOf(
  { modes, native, protocol }: ChannelType,
  operation: Operation,
  asks: ClientProtocolName,
): 'native' | 'translated' | '' {
  const spoken = native[operation] ?? protocol
  if (!modes.includes(operation) || !isBuilt(spoken)) return ''
  return NATIVE[spoken] === asks ? 'native' : 'translated'
}

/** docs/protocols.md, from the table of channel types. */
export function protocolPage(): string {
  const types = channelTypes.filter((type) => !type.name.startsWith('Unassigned'))
  const built = types.filter((type) => isBuilt(type.protocol))
  const rows = built.map((type) => [
    String(type.id),
    type.name,
    ...ASKED.map(([operation, , protocol]) => fitOf(type, operation, protocol)),
  ])
  const others = types
    .filter((type) => !built.includes(type))
    .map(({ id, name }) => `${name} (${id})`)
  const head = ['Type', 'Provider', ...ASKED.map(([, address]) => address)]
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return `${INTRODUCTION}\n\n${lines.join('\n')}\n\nNot built yet: ${others.join(', ')}.\n\n${LEFT_OUT}\n`
}

const INTRODUCTION = `# Protocols

\`npm run protocols\` writes this page from \`relay/channel-types.ts\`; a test holds it.

**native**: the client's bytes go to the provider, and its bytes come back. **translated**: the relay puts request and answer in the other protocol's words. An empty field: no channel of the type is ever asked.`

const LEFT_OUT = `## What translation does not carry

A member that the provider has no word for is refused by name (400, \`unsupported_by_channel\`), unless another channel has one. These are left out without a word, because they change no answer or could not be read:

- members for the client's own books: \`metadata\`, \`store\`, \`prompt_cache_key\`;
- thoughts of another provider, which only that one can check;
- an effort, at models that do not reason;
- \`cache_control\`, at providers of OpenAI's protocol, which cache by themselves;
- \`strict\` of a function, at providers of Anthropic's and Google's protocol;
- \`user\`, at providers of Google's protocol; \`safetySettings\` and \`labels\` at all others;
- the signature of a thought on Google's text, and on a call for Anthropic's clients: Google's models skip its check.

A translated response (\`/v1/responses\`) is kept by nobody: its \`store\` is false, and its id is no \`previous_response_id\`.

Items are sent, not named: \`item_reference\` is refused unless \`previous_response_id\` stands beside it. The AI SDK names items by default; its clients set \`store: false\`.`
