/** Something that can be chosen from a list. */
export interface Choice {
  readonly value: string
  readonly label: string
}

/** A choice that reads as it is stored. */
export const named = (name: string): Choice => ({ value: name, label: name })

/** The choices that contain the words, in upper or lower case; those that begin with them come first. */
export function matching(choices: readonly Choice[], words: string): readonly Choice[] {
  const wanted = words.trim().toLowerCase()
  if (wanted === '') return choices
  const begin: Choice[] = []
  const contain: Choice[] = []
  for (const choice of choices) {
    const at = choice.label.toLowerCase().indexOf(wanted)
    if (at === 0) begin.push(choice)
    else if (at > 0) contain.push(choice)
  }
  return [...begin, ...contain]
}

/**
 * The value of the choice that has this value, label, or name behind its value, or is the only one to fit. Digits are a
 * value as typed, even where nothing is suggested for them.
 */
export function choiceOf(choices: readonly Choice[], words: string): string | null {
  const exact =
    choices.find(({ value }) => value === words) ??
    choices.find(({ value, label }) => label === words || label === `${value} ${words}`)
  if (exact) return exact.value
  if (/^\d+$/u.test(words)) return null
  const fitting = matching(choices, words)
  return fitting.length === 1 ? (fitting[0]?.value ?? null) : null
}
