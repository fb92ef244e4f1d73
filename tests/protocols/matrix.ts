import type { Operation } from '@tollgate/domain/routing/operation.ts'
import { fitOf } from '@tollgate/relay/channel-fit.ts'
import { channelTypes, isBuilt } from '@tollgate/relay/channel-types.ts'

/** Operations that clients can ask for, and their addresses. */
const ASKED: ReadonlyArray<readonly [operation: Operation, address: string]> = [
  ['chat', '`/v1/chat/completions`'],
  ['responses', '`/v1/responses`'],
  ['messages', '`/v1/messages`'],
  ['generate-content', '`:generateContent`'],
  ['completions', '`/v1/completions`'],
  ['infill', '`/v1/fim/completions`'],
  ['embeddings', '`/v1/embeddings`'],
  ['embed-content', '`:embedContent`'],
]

/** docs/protocols.md, from the table of channel types. */
export function protocolPage(): string {
  const types = channelTypes.filter((type) => !type.name.startsWith('Unassigned'))
  const built = types.filter((type) => isBuilt(type.protocol))
  const rows = built.map((type) => [
    String(type.id),
    type.name,
    ...ASKED.map(([operation]) => fitOf(type, operation)),
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

**native**: the client's bytes go to the provider, and its bytes come back. **translated**: the relay puts request and answer in the other protocol's words. **by model**: natively where the model's own clients ask (Claude by Anthropic's, Gemini by Google's, others by OpenAI's), else translated. An empty field: no channel of the type is ever asked. Of channels with one priority, those that answer natively are asked first.`

const LEFT_OUT = `## What translation does not carry

A member that the provider has no word for is refused by name (400, \`unsupported_by_channel\`), unless another channel has one. These are left out without a word, because they change no answer, are hints or offers, or could not be read:

- members for the client's own books: \`metadata\`, \`client_metadata\`, \`store\`, \`prompt_cache_key\`, \`prompt_cache_options\`, \`prompt_cache_retention\`;
- of Anthropic's clients \`diagnostics\`, and \`context_management\` that clears thoughts alone; \`fallback\` blocks of an earlier answer;
- thoughts of another provider, which only that one can check; Moonshot and DeepSeek (from 3.2 on) get those before calls of tools back as text;
- an effort, at models that do not reason; \`verbosity\`;
- how thoughts are to be shown (\`reasoning.summary\`, \`thinking.display\`, \`includeThoughts\`): they are shown as the provider gives them;
- \`temperature\`, \`top_p\` and \`top_k\`, at Claude models from 4.7 on, which refuse them; nor do those get a budget of thinking: they think as they decide, by the effort where one is asked for;
- \`cache_control\`, at providers of OpenAI's and Google's protocol, which cache by themselves; Anthropic's get that of a text, and none of a tool or a picture;
- \`strict\` of a function, at providers of Anthropic's and Google's protocol; those of OpenAI's get it where the schema is one that OpenAI takes as strict;
- of a tool of Anthropic's clients \`input_examples\`, \`defer_loading\`, \`allowed_callers\` and \`eager_input_streaming\`; of a function of Google's clients \`behavior\` and the schema of its \`response\`;
- \`name\`, \`description\` and \`strict\` of the schema of an answer: at providers of OpenAI's protocol it is named \`answer\`, and strict where OpenAI takes it as such;
- \`is_error\` of a tool's result, at providers of OpenAI's protocol, which read its text; Google's get \`{error: …}\` as the result;
- \`filename\` and \`title\` of a document, at providers of Google's protocol; others get the one as the other. \`context\` of a document, and \`title\` of one in plain text or blocks, at all others;
- \`detail\` of a picture, at providers of Anthropic's and Google's protocol;
- \`mediaResolution\`, \`videoMetadata\` and \`displayName\` of a part of Google's, at all others;
- \`citations\`, \`annotations\` and \`images\` of an earlier answer; at providers of OpenAI's protocol the pictures (\`inlineData\`) of one of Google's clients, and \`image_generation_call\`;
- of a search of the web what "Searches of the web" below tells;
- \`max_tool_calls\`, which limits OpenAI's own tools alone: of those, searches of the web are translated, and others refused;
- \`user\`, at providers of Google's protocol; \`safetySettings\` and \`labels\` at all others;
- the signature of a thought on Google's text, which Google's models do not check.

Tools of a response that are no functions, as Codex sends them, are functions at other providers, and their calls come back as the client knows them. A \`custom\` tool is a function of one text, whose grammar is told in its description: nothing holds the model to it. A tool of a \`namespace\` has the namespace in its name (\`crm__look\`), and the system prompt tells the namespace's description. A \`tool_search\` of the client is a function, and the tools that it found are tools of the request; that of the provider is left out, and deferred tools are there from the beginning.

Messages of the role \`system\` within a conversation of Anthropic's clients, as Claude Code sends them, join the system prompt where no answer stands before them; later ones are a user's text in \`<system-reminder>\` tags at their place. Their \`tool_addition\` and \`tool_removal\` change the tools, their effort that of the request, and those that last one turn are left out after it. A \`search_result\` is sent as text, a \`tool_reference\` as the tool's name.

A provider that answers at once where a stream was asked for is read as a stream: its client gets the events of its own protocol, natively, too. One that streams where no stream was asked for is read to its end, and its client gets one answer.

Ollama fetches no pictures: those by address are fetched for it from the public internet and sent as data, up to 16 of 24 MB together in a request of 1 MiB at most; else they are refused by name.

A chat that asks for pictures (\`modalities: ["image", "text"]\`, as OpenRouter's clients do) gets them of Google's models, as \`images\` of the answer; Anthropic's have none, and refuse it by name.

Vertex AI takes texts for vectors as \`instances\` (\`text-embedding-*\`, \`text-multilingual-embedding-*\`, \`gemini-embedding-001\`); its later models take one content at a time, and a request of several is refused by name.

Signatures of thoughts behind calls of tools travel in members that clients send back (\`reasoning_details\`, \`tool_calls[].extra_content\`, \`encrypted_content\`, \`thoughtSignature\`). A client that does not send them finds them put back: they are kept for an hour by the ids of the calls, for its account alone, in the relay that answered: another relay has lost them. Where they are lost, Anthropic's models do not think in that request, which its log row says, and Google's models skip their check.

The tokens of a prompt (\`/v1/responses/input_tokens\`, \`/v1/messages/count_tokens\`, \`:countTokens\`) are counted by a channel that answers natively and counts, else here; what lies with the provider is then refused by name. A conversation is made shorter (\`/v1/responses/compact\`) by channels that have responses natively, and its charge is that of a response; elsewhere it is refused (400), as is a \`compaction\` item in what follows.

A translated response (\`/v1/responses\`) is kept by nobody: its \`store\` is false, and its id is no \`previous_response_id\`.

What lies with the provider belongs to the channel's key, not to an account: files by id, conversations, threads, stored prompts, vector stores and containers, and of Google \`cachedContent\`, its own files and \`gs:\` addresses. It is refused by name unless the setting of the channel has \`allow_provider_objects\`; to another provider's channel it never goes. Nobody here knows the size of a \`cachedContent\`: quota for 1,048,576 tokens of input, as much as a model reads, is reserved while its request runs.

So are tools that a provider runs at a price that nobody here knows, and models that answer in another's place at their own: tools of types that Tollgate has no price for (of chats all but \`function\`, \`custom\` and \`mcp\`), \`enable_search\`, \`models\`, \`plugins\`, \`search_parameters\`, \`web_search_options\` beside a model that is not one of OpenAI's search models, where a channel answers them natively, and of Anthropic \`fallbacks\` and the tools \`code_execution_*\` and \`advisor_*\`. A channel that allows \`fallbacks\` charges every model at the price of the one that was asked for: the one that answered, and those that declined after they had begun to write, as Anthropic bills them. Quota for all of them is reserved.

Searches of the web are asked for by \`web_search_options\` of a chat, the tool \`web_search\` of a response (and its previews), \`web_search_20250305\` and its later versions of Anthropic's clients, and \`googleSearch\`. Each of them goes to the others:

| To | Sent as | Refused by name | Left out |
| --- | --- | --- | --- |
| Anthropic (14), Claude on Vertex AI | \`web_search_20250305\` | allowed and blocked domains together, a function named \`web_search\` | \`search_context_size\` |
| Claude on Bedrock (33) | | all searches | |
| Gemini (24), Gemini on Vertex AI | \`googleSearch\` | allowed domains; blocked ones but on Vertex AI; functions beside the search; a \`tool_choice\` that demands it | \`max_uses\`, \`max_tool_calls\`, \`user_location\`, \`search_context_size\` |
| OpenAI's search models, which search with every request | \`web_search_options\` | domains | \`max_uses\`, \`max_tool_calls\`: they search once |
| other models by chat completions | | all searches | |

A response's search beside tools that the client runs is an offer, unless \`tool_choice\` names it: a provider that would refuse it gets the tools alone. Searches of pages that OpenAI has read before (\`external_web_access: false\`) are OpenAI's own, as are a \`timeRangeFilter\` and a search of images Google's. The model that answers is charged for the searches that its provider tells of, at its own price.

Responses get a \`web_search_call\` for each query, Anthropic's clients \`server_tool_use\`, its result and \`usage.server_tool_use\`, Google's \`webSearchQueries\`; completions get none. Pages that a text goes back to are \`annotations\` (\`url_citation\`), \`citations\` and \`groundingSupports\`; Anthropic's clients get them for a whole block of text, without a quotation, and with an \`encrypted_content\` and \`encrypted_index\` that are empty: Anthropic refuses these, should its client send them there. Google tells what it searched for behind a streamed text, and not which query found a page: the last has all of them. Of an earlier answer the text stays, not its searches.

Items are sent, not named: \`item_reference\` is refused unless \`previous_response_id\` stands beside it. The AI SDK names items by default; its clients set \`store: false\`.`
