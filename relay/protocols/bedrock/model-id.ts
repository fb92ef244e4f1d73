/** Versions that Bedrock's names of Anthropic's models end in. */
const IDS: ReadonlyMap<string, string> = new Map([
  ['claude-instant-1.2', 'anthropic.claude-instant-v1'],
  ['claude-2.0', 'anthropic.claude-v2'],
  ['claude-2.1', 'anthropic.claude-v2:1'],
  ['claude-3-sonnet-20240229', 'anthropic.claude-3-sonnet-20240229-v1:0'],
  ['claude-3-opus-20240229', 'anthropic.claude-3-opus-20240229-v1:0'],
  ['claude-3-haiku-20240307', 'anthropic.claude-3-haiku-20240307-v1:0'],
  ['claude-3-5-haiku-20241022', 'anthropic.claude-3-5-haiku-20241022-v1:0'],
  ['claude-3-5-sonnet-20240620', 'anthropic.claude-3-5-sonnet-20240620-v1:0'],
  ['claude-3-5-sonnet-20241022', 'anthropic.claude-3-5-sonnet-20241022-v2:0'],
  ['claude-3-7-sonnet-20250219', 'anthropic.claude-3-7-sonnet-20250219-v1:0'],
])

type Area = 'us' | 'eu' | 'ap'

/** Areas whose regions share a model; elsewhere it is asked for in its own region (spec/channels.md 2.3). */
const AREAS: ReadonlyMap<string, readonly Area[]> = new Map([
  ['claude-3-sonnet-20240229', ['us', 'eu', 'ap']],
  ['claude-3-haiku-20240307', ['us', 'eu', 'ap']],
  ['claude-3-5-sonnet-20240620', ['us', 'eu', 'ap']],
  ['claude-3-5-sonnet-20241022', ['us', 'ap']],
  ['claude-3-opus-20240229', ['us']],
  ['claude-3-5-haiku-20241022', ['us']],
  ['claude-3-7-sonnet-20250219', ['us']],
])
const PREFIXES: Readonly<Record<Area, string>> = { us: 'us.', eu: 'eu.', ap: 'apac.' }

/** Bedrock's name of a model in a region; names that are not Anthropic's own, such as Bedrock's, stay as they are. */
export function bedrockId(model: string, region: string): string {
  const area = AREAS.get(model)?.find((one) => region.startsWith(`${one}-`))
  return (area === undefined ? '' : PREFIXES[area]) + (IDS.get(model) ?? model)
}
