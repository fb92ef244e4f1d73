/** A token's key as clients send it. */
export function clientKey(key: string): string {
  return key.startsWith('sk-') ? key : `sk-${key}`
}

/** The smallest programs that call the gateway with a token: curl and the official OpenAI SDKs. */
export function snippets(call: { server: string; key: string; model: string }) {
  const { server, key, model } = call
  return [
    {
      name: 'curl',
      code: `curl ${server}/v1/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${model}",
    "stream": true,
    "messages": [{"role": "user", "content": "Hello"}]
  }'`,
    },
    {
      name: 'Python',
      code: `from openai import OpenAI

client = OpenAI(base_url="${server}/v1", api_key="${key}")
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
    },
    {
      name: 'Node.js',
      code: `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${server}/v1', apiKey: '${key}' })
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello' }],
})
console.log(answer.choices[0].message.content)`,
    },
  ] as const
}
