import { ChatOpenAI } from '@langchain/openai'
import { MESSAGES, TOOLS } from '../../request.js'

export const kinds = ['chat', 'stream', 'stream-usage', 'tools', 'tools-stream']

export async function observe({ baseURL, apiKey, model, kind }) {
  const streamUsage = kind === 'stream-usage'
  const chat = new ChatOpenAI({
    model,
    apiKey,
    configuration: { baseURL },
    maxRetries: 0,
    streamUsage,
  })
  const bound = kind.startsWith('tools') ? chat.bindTools(TOOLS) : chat
  const chunks = []
  try {
    if (!kind.includes('stream')) return shown(await bound.invoke(MESSAGES))
    for await (const chunk of await bound.stream(MESSAGES)) chunks.push(shown(chunk))
    return { chunks }
  } catch (error) {
    const { name, message, status, code } = error
    return { chunks, error: { name, message, status, code } }
  }
}

const shown = ({ content, tool_calls, tool_call_chunks, usage_metadata, response_metadata }) => ({
  content,
  tool_calls,
  tool_call_chunks,
  usage_metadata,
  response_metadata,
})
