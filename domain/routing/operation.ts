/** The operations that a client asks of a model. Channel types differ in which of these they serve. */
export type Operation =
  | 'chat'
  /** Chat as Anthropic's clients ask for it. */
  | 'messages'
  /** Chat as Google's clients ask for it. */
  | 'generate-content'
  /** Vectors as Google's clients ask for them. */
  | 'embed-content'
  /** Chat as OpenAI's newer clients ask for it. */
  | 'responses'
  | 'completions'
  /** Text between two others, as Mistral's clients ask for it: fill-in-the-middle. */
  | 'infill'
  | 'embeddings'
  | 'images'
  | 'audio'
  | 'rerank'
  | 'realtime'
  | 'moderations'
