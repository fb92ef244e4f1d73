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
