/** Small models for conversations that people know, the best known first. */
const PREFERRED = [
  'gpt-4o-mini',
  'gpt-4.1-mini',
  'gpt-5-mini',
  'claude-haiku-4-5',
  'claude-3-5-haiku-latest',
  'gemini-2.5-flash',
  'gemini-2.0-flash',
  'deepseek-chat',
  'qwen-turbo',
  'glm-4-flash',
] as const

/** Names of models that answer no chat: embeddings, speech, pictures, moderation, ranking, and plain completion. */
const NO_CHAT =
  /embed|bge-|m3e|whisper|tts|speech|audio|transcri|realtime|dall-e|image|imagen|flux|stable-|midjourney|^mj_|suno|sora|veo|video|moderation|rerank|babbage|davinci|curie|^ada|^text-|instruct|search|similarity|code-/i

/** The model for a first chat with these on offer: a known small one, else any that chats. */
export function chatModel(models: readonly string[]): string {
  const offered = new Set(models)
  return (
    PREFERRED.find((model) => offered.has(model)) ??
    models.find((model) => !NO_CHAT.test(model)) ??
    models[0] ??
    PREFERRED[0]
  )
}
