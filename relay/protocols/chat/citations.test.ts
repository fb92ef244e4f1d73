import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../json.ts'
import { partsOf as claudeParts, PartReader } from '../claude/read-parts.ts'
import { EventWriter, writeMessage } from '../claude/write-parts.ts'
import { FrameReader } from '../gemini/read-parts.ts'
import { FrameWriter, writeAnswer } from '../gemini/write-parts.ts'
import { ChunkReader, partsOf as completionParts } from '../openai/read-parts.ts'
import { OpenAiStream } from '../openai/stream.ts'
import { TranslatedChunks } from '../openai/translated-chunks.ts'
import { ChunkWriter, writeCompletion } from '../openai/write-parts.ts'
import { ResponseWriter, writeResponse } from '../responses/write-parts.ts'
import type { ChatPart } from './chat-part.ts'
import type { PartWriter } from './part-writer.ts'

/** Web pages that an answer cites, in the form of OpenAI's clients. */
const PAGE = { url: 'https://a.example/page', title: 'A page' }
const OTHER = { url: 'https://b.example/', title: 'Another' }
/** A citation of Anthropic's search. */
const cited = (page: typeof PAGE): JsonObject => ({
  type: 'web_search_result_location',
  ...page,
  encrypted_index: 'Eo8',
  cited_text: 'as it says',
})
const MESSAGE = {
  id: 'm',
  model: 'c',
  content: [
    { type: 'text', text: 'I looked. ' },
    { type: 'text', text: 'It is so.', citations: [cited(PAGE), cited(OTHER)] },
    {
      type: 'text',
      text: ' Yours says so too.',
      citations: [{ type: 'char_location', document_index: 0, cited_text: 'so' }],
    },
  ],
  stop_reason: 'end_turn',
}
/** The same as events, citations between the text. */
const EVENTS: readonly JsonObject[] = [
  { type: 'message_start', message: { id: 'm', model: 'c' } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'I looked. ' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  {
    type: 'content_block_delta',
    index: 1,
    delta: { type: 'citations_delta', citation: cited(PAGE) },
  },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'It is so.' } },
  {
    type: 'content_block_delta',
    index: 1,
    delta: { type: 'citations_delta', citation: cited(OTHER) },
  },
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
]
const annotation = (page: typeof PAGE, start: number, end: number): JsonObject => ({
  type: 'url_citation',
  url_citation: { start_index: start, end_index: end, ...page },
})
const ofResponse = (page: typeof PAGE, start: number, end: number): JsonObject => ({
  type: 'url_citation',
  start_index: start,
  end_index: end,
  ...page,
})

/** The events that a writer makes of parts. */
function written(writer: PartWriter, parts: readonly ChatPart[]): readonly JsonObject[] {
  return eventsOf(parts.map((part) => writer.part(part)).join('') + writer.closing(NO_USAGE))
}
function eventsOf(text: string): readonly JsonObject[] {
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json))
}
const annotationsIn = (chunks: readonly JsonObject[]): readonly unknown[] =>
  chunks
    .flatMap(({ choices }) => (Array.isArray(choices) ? choices : []))
    .flatMap(({ delta }: { delta: { annotations?: unknown[] } }) => delta.annotations ?? [])

test('given cited pages of a message, when it is a completion, then they are its annotations', () => {
  const parts = claudeParts(MESSAGE)
  const places = [annotation(PAGE, 10, 19), annotation(OTHER, 10, 19)]
  expect(writeCompletion(parts, null, 1)['choices']).toMatchObject([
    { message: { content: 'I looked. It is so. Yours says so too.', annotations: places } },
  ])
  const reader = new PartReader()
  const streamed = EVENTS.flatMap((event) => reader.of(event))
  expect(annotationsIn(written(new ChunkWriter(1, false), streamed))).toEqual(places)
})

test('given cited pages of a message, when it is a response, then its texts have them', () => {
  const places = [ofResponse(PAGE, 0, 9), ofResponse(OTHER, 0, 9)]
  expect(writeResponse(claudeParts(MESSAGE), null, 1)['output']).toMatchObject([
    { content: [{ annotations: [] }] },
    { content: [{ annotations: places }] },
    { content: [{ annotations: [] }] },
  ])
  const reader = new PartReader()
  const events = written(
    new ResponseWriter(1),
    EVENTS.flatMap((event) => reader.of(event)),
  )
  const added = events.filter(({ type }) => type === 'response.output_text.annotation.added')
  expect(added).toMatchObject(
    places.map((place, index) => ({
      item_id: 'msg_m_1',
      output_index: 1,
      content_index: 0,
      annotation_index: index,
      annotation: place,
    })),
  )
  const done = events.filter(({ type }) => type === 'response.content_part.done')
  expect(done).toMatchObject([{ part: { annotations: [] } }, { part: { annotations: places } }])
})

/** `Grüezi 🌍. ` has 10 characters, 11 units and 14 bytes. */
const GREETING = 'Grüezi 🌍. '
const frame = (text: string, more: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, ...more }],
  responseId: 'r',
  modelVersion: 'g',
})
const CHUNKS = [{ web: { uri: PAGE.url, title: PAGE.title } }, { retrievedContext: {} }]

test.each<[what: string, supports: object, places: readonly JsonObject[]]>([
  [
    'its segments',
    {
      groundingSupports: [
        { segment: { endIndex: 14, text: GREETING }, groundingChunkIndices: [0, 1] },
        { segment: { startIndex: 14, endIndex: 23 }, groundingChunkIndices: [0, 7] },
      ],
    },
    [annotation(PAGE, 0, 11), annotation(PAGE, 11, 20)],
  ],
  ['nothing more', {}, [annotation(PAGE, 0, 20)]],
  [
    'segments beyond the text',
    {
      groundingSupports: [
        { segment: { startIndex: -4, endIndex: 99 }, groundingChunkIndices: [0] },
      ],
    },
    [annotation(PAGE, 0, 20)],
  ],
])('given grounding with %s, when told to OpenAI clients, then by characters', (...row) => {
  const [, supports, places] = row
  const grounding = { groundingMetadata: { groundingChunks: CHUNKS, ...supports } }
  const reader = new FrameReader(0)
  const frames = [frame(GREETING), frame('It is so.', { ...grounding, finishReason: 'STOP' })]
  const parts = frames.flatMap((one) => reader.of(one))
  expect(writeCompletion(parts, null, 1)['choices']).toMatchObject([
    { message: { content: `${GREETING}It is so.`, annotations: places } },
  ])
  expect(annotationsIn(written(new ChunkWriter(1, false), parts))).toEqual(places)
})

test('given a text without pages, when it is a completion, then it has no annotations', () => {
  const parts = claudeParts({ ...MESSAGE, content: [{ type: 'text', text: 'Hi' }] })
  const completion = JSON.stringify(writeCompletion(parts, null, 1))
  expect(completion).not.toContain('annotations')
})

test('given cited pages, when told to Googles clients, then by the bytes of the whole text', () => {
  const said = [
    { type: 'text', text: GREETING },
    { type: 'text', text: 'Ja, 🌍.', citations: [cited(PAGE), cited(OTHER), cited(PAGE)] },
  ]
  const parts = claudeParts({ ...MESSAGE, content: said })
  const grounding = {
    groundingChunks: [
      { web: { uri: PAGE.url, title: PAGE.title } },
      { web: { uri: OTHER.url, title: OTHER.title } },
    ],
    groundingSupports: [0, 1, 0].map((place) => ({
      segment: { startIndex: 14, endIndex: 23, text: 'Ja, 🌍.' },
      groundingChunkIndices: [place],
    })),
  }
  const whole = [{ groundingMetadata: grounding, finishReason: 'STOP' }]
  expect(writeAnswer(parts, null)['candidates']).toMatchObject(whole)
  const frames = written(new FrameWriter(false), parts)
  expect(frames.at(-1)?.['candidates']).toMatchObject(whole)
  expect(JSON.stringify(frames.slice(0, -1))).not.toContain('grounding')
  const plain = parts.filter(({ type }) => type !== 'citation')
  expect(JSON.stringify(writeAnswer(plain, null))).not.toContain('grounding')
})

test('given cited pages of a message, when told to Anthropics clients, then as they were', () => {
  const parts = claudeParts(MESSAGE)
  const citations = [cited(PAGE), cited(OTHER)]
  const [first, second, third] = MESSAGE.content
  const { content } = writeMessage(parts, null)
  const { citations: _documents, ...plain } = third as JsonObject
  expect(content).toEqual([first, { ...second, citations }, plain])
  const told = written(new EventWriter(1), parts).filter(({ delta }) =>
    JSON.stringify(delta ?? null).includes('citations_delta'),
  )
  expect(told).toEqual(
    citations.map((citation) => ({
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'citations_delta', citation },
    })),
  )
})

test('given pages of another provider, when told to Anthropics clients, then they are cited', () => {
  const message = { content: 'Ja.', annotations: [annotation(PAGE, 0, 3)] }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  const parts = completionParts({ id: 'p', model: 'm', choices }, 0)
  const citation = { ...cited(PAGE), encrypted_index: '', cited_text: '' }
  expect(writeMessage(parts, null)['content']).toEqual([
    { type: 'text', text: 'Ja.', citations: [citation] },
  ])
})

/** Perplexity's answer: its pages stand beside the choices, in each chunk or in the last. */
const said = (delta: JsonObject, more: JsonObject = {}, finish: string | null = null) => ({
  id: 'p',
  model: 'sonar',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
})
const RESULTS = { search_results: [{ ...PAGE, date: '2026-01-01' }, { title: 'x' }, OTHER] }
const ADDRESSES = { citations: [PAGE.url, '', OTHER.url] }
const bare = ({ url }: typeof PAGE): typeof PAGE => ({ url, title: url })

test.each<[what: string, chunks: readonly JsonObject[], pages: ReadonlyArray<typeof PAGE>]>([
  [
    'results of a search at the end',
    [said({ content: GREETING }), said({ content: 'Ja.' }, { ...ADDRESSES, ...RESULTS }, 'stop')],
    [PAGE, OTHER],
  ],
  [
    'results of a search in each chunk',
    [said({ content: GREETING }, RESULTS), said({ content: 'Ja.' }, RESULTS), said({}, {}, 'stop')],
    [PAGE, OTHER],
  ],
  [
    'bare addresses',
    [said({ content: `${GREETING}Ja.` }, ADDRESSES), said({}, ADDRESSES, 'stop')],
    [bare(PAGE), bare(OTHER)],
  ],
  [
    'a chunk without choices',
    [said({ content: `${GREETING}Ja.` }), { ...RESULTS, choices: [] }, said({}, {}, 'stop')],
    [PAGE, OTHER],
  ],
  [
    'annotations, too',
    [
      said({ content: `${GREETING}Ja.`, annotations: [annotation(PAGE, 0, 14)] }, ADDRESSES),
      said({}, ADDRESSES, 'stop'),
    ],
    [PAGE],
  ],
  [
    'a chunk of usage behind the reason',
    [said({ content: `${GREETING}Ja.` }), said({}, {}, 'stop'), { ...ADDRESSES, choices: [] }],
    [bare(PAGE), bare(OTHER)],
  ],
  ['no page', [said({ content: `${GREETING}Ja.` }, { citations: null }), said({}, {}, 'stop')], []],
])('given %s beside the choices, when read, then the whole text cites each page', (...row) => {
  const [, chunks, pages] = row
  const reader = new ChunkReader(0)
  const parts = [...chunks.flatMap((chunk) => reader.of(chunk)), ...reader.end()]
  const end = `${GREETING}Ja.`.length
  expect(parts.filter(({ type }) => type === 'citation')).toEqual(
    pages.map((page) => ({ type: 'citation', block: 0, ...page, start: 0, end })),
  )
  const annotations = pages.map((page) => ofResponse(page, 0, end))
  expect(writeResponse(parts, null, 1)['output']).toMatchObject([{ content: [{ annotations }] }])
})

test('given pages beside the usage, when streamed to other clients, then they come before the end', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  const chunks = [
    said({ content: 'Ja.' }),
    said({}, {}, 'stop'),
    { ...ADDRESSES, choices: [], usage },
  ]
  const stream = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')
  const told = (writer: PartWriter): string => {
    const passage = new OpenAiStream({
      showUsage: true,
      object: 'chat.completion.chunk',
      rewrite: null,
      answer: new TranslatedChunks(writer, 0),
      quirks: [],
      key: '',
    })
    const delivered = passage.push(Buffer.from(`${stream}data: [DONE]\n\n`)).toString()
    expect(delivered).toContain('Ja.')
    return delivered + passage.closing(NO_USAGE, false)
  }
  const events = eventsOf(told(new ResponseWriter(1)))
  const annotations = [ofResponse(bare(PAGE), 0, 3), ofResponse(bare(OTHER), 0, 3)]
  expect(events.at(-1)).toMatchObject({
    type: 'response.completed',
    response: { output: [{ content: [{ annotations }] }] },
  })
  const frames = eventsOf(told(new FrameWriter(false)))
  const groundingChunks = [PAGE, OTHER].map(({ url }) => ({ web: { uri: url, title: url } }))
  expect(frames.at(-1)).toMatchObject({
    candidates: [{ finishReason: 'STOP', groundingMetadata: { groundingChunks } }],
  })
})

test('given a whole answer with pages of a search, when told to other clients, then they have them', () => {
  const message = { role: 'assistant', content: 'Ja.' }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  const parts = completionParts({ id: 'p', model: 'sonar', choices, ...RESULTS }, 0)
  const annotations = [ofResponse(PAGE, 0, 3), ofResponse(OTHER, 0, 3)]
  expect(writeResponse(parts, null, 1)['output']).toMatchObject([{ content: [{ annotations }] }])
  const groundingChunks = [PAGE, OTHER].map(({ url, title }) => ({ web: { uri: url, title } }))
  expect(writeAnswer(parts, null)['candidates']).toMatchObject([
    { groundingMetadata: { groundingChunks } },
  ])
})
