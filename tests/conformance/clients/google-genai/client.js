import { GoogleGenAI } from '@google/genai'
import { TOOLS } from '../../request.js'

export const protocol = 'gemini'
export const kinds = ['chat', 'stream', 'tools', 'tools-stream']

const functionDeclarations = TOOLS.map(({ function: { name, description, parameters } }) => ({
  name,
  description,
  parametersJsonSchema: parameters,
}))

export async function observe({ baseURL, apiKey, model, kind }) {
  const httpOptions = { baseUrl: baseURL.replace(/\/v1$/, '') }
  const { models } = new GoogleGenAI({ apiKey, httpOptions })
  const asked = {
    model,
    contents: 'What is the weather?',
    ...(kind.startsWith('tools') && { config: { tools: [{ functionDeclarations }] } }),
  }
  const chunks = []
  try {
    if (!kind.includes('stream')) return { answer: shown(await models.generateContent(asked)) }
    for await (const chunk of await models.generateContentStream(asked)) chunks.push(shown(chunk))
    return { chunks }
  } catch (error) {
    return { chunks, error: { name: error.name, status: error.status, body: error.message } }
  }
}

const shown = (answer) => ({ ...answer, sdkHttpResponse: undefined })
