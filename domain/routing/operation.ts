/** What a client asks of a model. Channel types differ in which of these they serve. */
export type Operation =
  | 'chat'
  | 'completions'
  | 'embeddings'
  | 'images'
  | 'audio'
  | 'rerank'
  | 'realtime'
  | 'moderations'
