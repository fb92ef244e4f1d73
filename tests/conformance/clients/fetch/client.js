import { bodyOf } from '../../request.js'

/** What a client without a library sees: status, type and bytes. */
export const kinds = ['chat', 'stream', 'stream-usage', 'tools', 'tools-stream']

export async function observe({ baseURL, apiKey, model, kind }) {
  const response = await fetch(`${baseURL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(bodyOf(kind, model)),
  })
  const seen = { status: response.status, type: response.headers.get('content-type').split(';')[0] }
  try {
    return seen.type === 'application/json'
      ? { ...seen, body: await response.json() }
      : { ...seen, events: (await response.text()).split(/\r?\n\r?\n/).map(valueOf) }
  } catch (error) {
    return { ...seen, error: error.message }
  }
}

/** An event's JSON; anything else as it is written. */
function valueOf(event) {
  const json = /^data: (\{.*\})$/m.exec(event)?.[1]
  return json === undefined ? event : { ...JSON.parse(json), framing: event.replace(json, '') }
}
