/** Types without what only the compiler knows, brands and `readonly`, all the way down. */
export type Plain<T> = T extends string | number | boolean | null | undefined
  ? T extends object
    ? T extends number
      ? number
      : string
    : T
  : { -readonly [Key in keyof T]: Plain<T[Key]> }

/**
 * Whether two types are identical to the compiler: optional fields, unions and literals are told apart, which `extends`
 * does not. The two functions must stand here in full: behind a type alias they are compared less strictly.
 */
export type AreSame<A, B> =
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the compiler compares the functions
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles for no name alone. */
export type NoneOf<Names extends never> = Names

interface Sample {
  readonly at: number
  readonly source: 'a' | 'b'
  readonly list: ReadonlyArray<readonly [number, string | null]>
}
type SampleAs<Changes> = Plain<Omit<Sample, keyof Changes> & Changes>
interface ChangesOfSample {
  readonly 'a field more': SampleAs<{ note: string }>
  readonly 'an optional field more': SampleAs<{ note?: string }>
  readonly 'a field less': Plain<Omit<Sample, 'at'>>
  readonly 'a field that may be absent': SampleAs<{ at?: number }>
  readonly 'a literal more': SampleAs<{ source: 'a' | 'b' | 'c' }>
  readonly 'a literal less': SampleAs<{ source: 'a' }>
  readonly 'any text': SampleAs<{ source: string }>
  readonly 'null no more': SampleAs<{ list: [number, string][] }>
  readonly 'a longer tuple': SampleAs<{ list: [number, string | null, 1][] }>
}

/**
 * The comparison compared: does not compile if it misses one of these changes,
 * @public
 */
export type MissedChanges = NoneOf<
  {
    [Name in keyof ChangesOfSample]: AreSame<Plain<Sample>, ChangesOfSample[Name]> extends true
      ? Name
      : never
  }[keyof ChangesOfSample]
>
/**
 * or takes the same for different.
 * @public
 */
export type FalseAlarms = NoneOf<
  AreSame<Plain<Sample>, SampleAs<{ source: 'b' | 'a' }>> extends true ? never : 'the same'
>
