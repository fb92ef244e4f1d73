/** Anthropic's models whose names Vertex changed beyond their date. */
const IDS: ReadonlyMap<string, string> = new Map([
  ['claude-3-5-sonnet-20241022', 'claude-3-5-sonnet-v2@20241022'],
])

/** Vertex's name of one of Anthropic's models: its date stands behind an `@`; other names stay as they are. */
export const vertexId = (model: string): string =>
  IDS.get(model) ?? model.replace(/^(claude-.+)-(\d{8})$/, '$1@$2')
