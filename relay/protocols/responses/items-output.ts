import { isObject, type JsonObject } from '../../json.ts'
import { AnswerOutput } from '../../metering/answer-output.ts'

/** A model's output in the items of a response, and its uses of the provider's own tools. */
export class ItemsOutput extends AnswerOutput {
  #toolCalls = 0
  /** Items whose text came in pieces: when they are done, it comes again. */
  readonly #written = new Set<unknown>()

  /** An item as it begins; a tool call has its name from there on. */
  beginItem(item: JsonObject): void {
    if (!isToolCall(item)) return
    this.#toolCalls += 1
    this.countToolCalls(this.#toolCalls)
    this.addText(item['name'])
    this.addDelta()
  }

  /** A piece of the item at `index`. */
  takeDelta(event: JsonObject, isAudio: boolean): void {
    const { delta } = event
    if (typeof delta !== 'string' || delta === '') return
    this.#written.add(event['output_index'])
    if (isAudio) this.addAudio(delta)
    else this.addText(delta)
    this.addDelta()
  }

  /** An item that is whole: of one that came in pieces only the parts that no piece brought. */
  endItem(item: JsonObject, index: unknown): void {
    const { type, encrypted_content: hidden } = item
    const before = this.weight
    if (type === 'web_search_call' && isSearch(item)) this.addWebSearch()
    if (type === 'file_search_call') this.addFileSearch()
    if (type === 'image_generation_call' && typeof item['result'] === 'string') this.addImages(1)
    if (!this.#written.has(index)) this.#text(item)
    // Summaries are a part of the thoughts; the encrypted contents are all of them.
    if (typeof hidden === 'string' && HIDDEN.has(type)) this.addHidden(hidden.length)
    if (this.weight > before) this.addDelta()
  }

  #text(item: JsonObject): void {
    for (const name of ['arguments', 'input', 'code']) this.addText(item[name])
    for (const list of [item['content'], item['summary']]) {
      for (const part of Array.isArray(list) ? list.filter(isObject) : []) {
        this.addText(part['text'])
        this.addText(part['refusal'])
        this.addText(part['transcript'])
      }
    }
  }
}

/** Items that are encrypted: thoughts, and a conversation made shorter. */
const HIDDEN: ReadonlySet<unknown> = new Set(['reasoning', 'compaction'])

const isToolCall = ({ type }: JsonObject): boolean =>
  type === 'function_call' || type === 'custom_tool_call' || type === 'mcp_call'

/** Opening a page that was found is no search of its own. */
const isSearch = ({ action }: JsonObject): boolean =>
  !isObject(action) || (action['type'] ?? 'search') === 'search'
