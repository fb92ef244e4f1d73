/**
 * Completion ratios built in by model name, for names without an entry in the option CompletionRatio (decision 3: an
 * entry always wins). Families as the vendors priced them in April 2025; the first rule that fits counts.
 */
export const builtInCompletionRatio = (model: string): string =>
  RULES.find(([fits]) => fits(model))?.[1] ?? '1'

type Rule = readonly [fits: (model: string) => boolean, ratio: string]

const named =
  (...names: readonly string[]) =>
  (model: string) =>
    names.includes(model)
const begins =
  (...prefixes: readonly string[]) =>
  (model: string) =>
    prefixes.some((prefix) => model.startsWith(prefix))
const contains =
  (...parts: readonly string[]) =>
  (model: string) =>
    parts.some((part) => model.includes(part))
/** The gpt-4 rules leave names ending in -all and -gizmo-* alone. */
const gpt4 = (fits: (model: string) => boolean) => (model: string) =>
  fits(model) && !model.endsWith('-all') && !model.endsWith('-gizmo-*')

/** Ratios that are no short decimal stand as the shortest text of the number, as every other ratio does. */
const RULES: readonly Rule[] = [
  [gpt4(named('gpt-4o-2024-05-13')), '3'],
  [gpt4(begins('gpt-4o')), '4'],
  [gpt4(begins('gpt-4.5-preview')), '2'],
  [gpt4(begins('gpt-4-turbo')), '3'],
  [gpt4((model) => model.endsWith('gpt-4-1106') || model.endsWith('gpt-4-1105')), '3'],
  [gpt4(begins('gpt-4')), '2'],
  [begins('o1', 'o3'), '4'],
  [named('chatgpt-4o-latest'), '3'],
  [contains('claude-instant-1', 'claude-2'), '3'],
  [contains('claude-3'), '5'],
  [(model) => model === 'gpt-3.5-turbo' || isGpt35(model, '0125'), '3'],
  [(model) => isGpt35(model, '1106'), '2'],
  [begins('gpt-3.5'), String(4 / 3)],
  [begins('mistral-'), '3'],
  [begins('gemini-1.5', 'gemini-2.0'), '4'],
  [begins('gemini-2.5-pro-preview'), '8'],
  [begins('gemini-'), '4'],
  [named('command-r'), '3'],
  [named('command-r-plus'), '5'],
  [begins('command'), '4'],
  [(model) => named('deepseek-chat', 'deepseek-reasoner')(model.toLowerCase()), '4'],
  [begins('ERNIE-Speed-', 'ERNIE-Lite-', 'ERNIE-Character', 'ERNIE-Functions'), '2'],
  [named('llama2-70b-4096'), '1.25'],
  [named('llama3-8b-8192'), '2'],
  [named('llama3-70b-8192'), String(0.79 / 0.59)],
]

function isGpt35(model: string, ending: string): boolean {
  return model.startsWith('gpt-3.5') && model.endsWith(ending)
}
