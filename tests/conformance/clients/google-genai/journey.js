import { GoogleGenAI } from '@google/genai'
import { ADD, loop, PICTURE, prompt, SCHEMA, sum } from '../../journey.js'

/** Kinds of request and how this client asks them. */
const asks = {
  chat: async (models, model) =>
    (await models.generateContent({ model, contents: prompt('chat') })).text,
  stream: async (models, model) => {
    let text = ''
    const asked = { model, contents: prompt('stream') }
    for await (const chunk of await models.generateContentStream(asked)) text += chunk.text ?? ''
    return text
  },
  vision: async (models, model) => {
    const inlineData = { mimeType: 'image/png', data: PICTURE }
    const contents = [{ role: 'user', parts: [{ inlineData }, { text: prompt('vision') }] }]
    return (await models.generateContent({ model, contents })).text
  },
  schema: async (models, model) => {
    const config = { responseMimeType: 'application/json', responseJsonSchema: SCHEMA }
    const asked = { model, contents: prompt('schema'), config }
    return JSON.parse((await models.generateContent(asked)).text)
  },
  loop: (models, model) => {
    const contents = [{ role: 'user', parts: [{ text: prompt('loop') }] }]
    const { schema: parametersJsonSchema, ...named } = ADD
    const config = {
      tools: [{ functionDeclarations: [{ ...named, parametersJsonSchema }] }],
      thinkingConfig: { thinkingBudget: 24_576, includeThoughts: true },
      maxOutputTokens: 40_000,
    }
    return loop(
      async () => {
        const answer = await models.generateContent({ model, contents, config })
        const { content } = answer.candidates[0]
        contents.push(content, { role: 'user', parts: [] })
        const thought = content.parts.find((part) => part.thought)?.text
        return { calls: answer.functionCalls ?? [], text: answer.text, thought }
      },
      ({ id, name, args }) => {
        const functionResponse = { id, name, response: { result: sum(args) } }
        contents.at(-1).parts.push({ functionResponse })
      },
    )
  },
  'gemini-embeddings': async (models, model) => {
    const { embeddings } = await models.embedContent({ model, contents: 'Do embeddings.' })
    return embeddings[0].values
  },
}

export const protocol = 'gemini'
export const kinds = Object.keys(asks)
export const observe = ({ baseURL, apiKey, model, kind }) => {
  const httpOptions = { baseUrl: baseURL.replace(/\/v1$/, '') }
  return asks[kind](new GoogleGenAI({ apiKey, httpOptions }).models, model)
}
