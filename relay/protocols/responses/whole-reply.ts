import { isObject, parseForeign } from '../../json.ts'
import { tell } from '../../metering/upstream-facts.ts'
import { firstOf } from '../../upstream/errors.ts'
import type { WholeReply } from '../upstream-protocol.ts'
import { ItemsOutput } from './items-output.ts'
import { billedCalls } from './tool-calls.ts'

/** Reads a whole response. One that says that it failed is an error. */
export function readWholeResponse(body: Buffer): WholeReply {
  const response = firstOf(parseForeign(body.toString('utf8')))
  if (!isObject(response)) {
    return { status: 'garbage', reason: 'upstream sent an answer that is not a JSON object' }
  }
  if (isObject(response['error'])) return { status: 'error', error: response }
  const { output: items, usage } = response
  const output = new ItemsOutput()
  const list = Array.isArray(items) ? items.filter(isObject) : []
  for (const [index, item] of list.entries()) {
    // A compaction repeats what its client said.
    if (item['role'] === 'user') continue
    output.beginItem(item)
    output.endItem(item, index)
  }
  const report = isObject(usage) ? usage : null
  if (!Array.isArray(items) && report === null) {
    return { status: 'garbage', reason: 'upstream sent an answer without output' }
  }
  return {
    status: 'answered',
    told: tell({}, response),
    report,
    output,
    hasContent: !output.isEmpty,
    calls: billedCalls(report, output.calls),
  }
}
