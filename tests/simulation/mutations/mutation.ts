/** One rule of the design (architecture 6) broken in the code that keeps it. */
export interface Mutation {
  readonly id: string
  /** Number of the rule; '–' for what lies outside of them. */
  readonly rule: string
  /** How it is broken, in a few words. */
  readonly how: string
  readonly edits: readonly Edit[]
}

export interface Edit {
  /** Path from the repository's root. */
  readonly file: string
  /** Stands in the file exactly once. */
  readonly find: string
  readonly put: string
}

/** A text with edits done; throws when one does not say which place it means. */
export function mutated(text: string, edits: readonly Edit[]): string {
  return edits.reduce((before, { file, find, put }) => {
    const places = before.split(find).length - 1
    if (places !== 1) throw new TypeError(`${places} places in ${file} read: ${find}`)
    return before.replace(find, () => put)
  }, text)
}

/** An edit of a file; both texts are TypeScript. */
export const edit = (file: string, find: string, put: string): Edit => ({ file, find, put })

/** A mutation; some run must fail with it. */
export const broken = (rule: string, id: string, how: string, ...edits: Edit[]): Mutation => ({
  id: `${rule === '–' ? 'read' : rule}-${id}`,
  rule,
  how,
  edits,
})
