import { isObject, type JsonObject } from '../../json.ts'
import { AnswerOutput } from '../../metering/answer-output.ts'

/** A model's output in Anthropic's blocks: text, thinking, input of tools, redacted thinking; and its searches. */
export class BlocksOutput extends AnswerOutput {
  #toolCalls = 0

  /** Takes a block as it begins, or a whole one. */
  takeBlock(block: JsonObject): void {
    const before = this.weight
    const { type, input } = block
    this.addText(block['text'])
    this.addText(block['thinking'])
    if (typeof type === 'string' && type.endsWith('tool_use')) {
      this.#toolCalls += 1
      this.countToolCalls(this.#toolCalls)
      this.addText(block['name'])
      // A stream begins with an empty input and writes it as deltas.
      if (isObject(input) && Object.keys(input).length > 0) this.addText(JSON.stringify(input))
    }
    // The summary of what was said before.
    if (type === 'compaction') this.addText(block['content'])
    if (type === 'redacted_thinking' && typeof block['data'] === 'string') {
      this.addHidden(block['data'].length)
    }
    // One that failed has an object in place of its results, and costs nothing.
    if (type === 'web_search_tool_result' && Array.isArray(block['content'])) this.addWebSearch()
    if (this.weight > before) this.addDelta()
  }

  /** Takes a piece of a block. Signatures and citations are not the model's writing. */
  takeDelta(delta: JsonObject): void {
    const before = this.weight
    this.addText(delta['text'])
    this.addText(delta['thinking'])
    this.addText(delta['partial_json'])
    if (delta['type'] === 'compaction_delta') this.addText(delta['content'])
    if (this.weight > before) this.addDelta()
  }
}
