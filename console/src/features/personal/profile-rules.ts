/** The fields of the form for one's own names. */
export interface Profile {
  readonly username: string
  readonly displayName: string
}

/** Greatest lengths in characters (console API, section 1.2). */
export const NAME_LENGTH = { username: 12, displayName: 20 } as const

/** The problems of new names, by field. A kept name may be longer: sign-in services make such. */
export function profileProblems(
  { username, displayName }: Profile,
  kept: { readonly username: string; readonly display_name: string },
): Partial<Record<keyof Profile, 'required' | 'long'>> {
  return {
    ...(username.trim() === '' ? { username: 'required' as const } : {}),
    ...(displayName.trim() === '' && kept.display_name !== ''
      ? { displayName: 'required' as const }
      : {}),
    ...(username.trim() !== kept.username && lengthOf(username) > NAME_LENGTH.username
      ? { username: 'long' as const }
      : {}),
    ...(displayName.trim() !== kept.display_name && lengthOf(displayName) > NAME_LENGTH.displayName
      ? { displayName: 'long' as const }
      : {}),
  }
}

const lengthOf = (text: string): number => Array.from(text.trim()).length
