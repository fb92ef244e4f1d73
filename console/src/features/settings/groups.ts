/** A group of users: how dear it is, and whether users may choose it for their tokens. */
export interface GroupRow {
  readonly name: string
  readonly ratio: string
  readonly isUsable: boolean
  readonly description: string
}

/** What is wrong with a group's row. */
export type GroupProblem = 'nameMissing' | 'nameTwice' | 'ratio'

/** The groups out of the options GroupRatio and UserUsableGroups; a group may stand in either. */
export function groupRows(options: ReadonlyMap<string, string>): readonly GroupRow[] {
  const ratios = tableOf(options.get('GroupRatio'))
  const usable = tableOf(options.get('UserUsableGroups'))
  return [...new Set([...ratios.keys(), ...usable.keys()])].map((name) => ({
    name,
    ratio: ratios.has(name) ? String(Number(ratios.get(name))) : '',
    isUsable: usable.has(name),
    description: textIn(usable.get(name)),
  }))
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** What is wrong with each row, by its place. */
export function groupProblems(rows: readonly GroupRow[]): ReadonlyMap<number, GroupProblem> {
  const problems = new Map<number, GroupProblem>()
  for (const [index, row] of rows.entries()) {
    const isTwice = rows.findIndex((other) => other.name.trim() === row.name.trim()) < index
    if (row.name.trim() === '') problems.set(index, 'nameMissing')
    else if (isTwice) problems.set(index, 'nameTwice')
    else if (!/^(\d+(\.\d+)?)?$/.test(row.ratio)) problems.set(index, 'ratio')
  }
  return problems
}

/** The two options that the rows make. A row without a ratio has no entry and is charged at 1. */
export function groupOptions(rows: readonly GroupRow[]): {
  readonly GroupRatio: string
  readonly UserUsableGroups: string
} {
  const ratios = rows
    .filter((row) => row.ratio !== '')
    .map((row) => [row.name.trim(), Number(row.ratio)] as const)
  const usable = rows
    .filter((row) => row.isUsable)
    .map((row) => [row.name.trim(), row.description.trim()] as const)
  return {
    GroupRatio: JSON.stringify(Object.fromEntries(ratios)),
    UserUsableGroups: JSON.stringify(Object.fromEntries(usable)),
  }
}

function tableOf(text: string | undefined): ReadonlyMap<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return new Map(value !== null && typeof value === 'object' ? Object.entries(value) : [])
  } catch {
    // The server refuses what is no JSON, so this is an option that was never set.
    return new Map()
  }
}
