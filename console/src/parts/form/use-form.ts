import type { QueryKey } from '@tanstack/react-query'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import type { Problems, Refusals } from './form-values.ts'
import { isSameForm, refusedField, withoutFields } from './form-values.ts'

/** The rules of a form: its first values, its check, its call, and the steps after that. */
export interface FormRules<Values extends object, Problem extends string> {
  readonly initial: Values | (() => Values)
  /** Problems by field; none = it may be sent. */
  readonly check?: (values: Values) => Problems<Values, Problem>
  /** A problem in the visitor's words. */
  readonly say?: (problem: Problem, field: keyof Values) => string
  /** Sends the values; `opened` is what the form began with or saved last. A throw keeps everything as typed. */
  readonly save: (values: Values, opened: Values) => Promise<unknown>
  /** Queries to read again after a save, whether it succeeded or failed. */
  readonly refresh?: readonly QueryKey[]
  readonly onSaved?: (values: Values) => void
  /** Which refusals of the server stand at a field; the others are about the form as a whole. */
  readonly refusals?: Refusals<Values>
}

/** A form, as the frame around its fields needs it: the drawer, the page, the guard. */
export interface FormHandle {
  readonly isBusy: boolean
  /** Why the last save failed as a whole, until something is typed; else null. */
  readonly failure: unknown
  readonly submit: () => void
  /** Refusals of the last save, by field; another object with each. */
  readonly refused: object
  /** Takes note of the failure: it is no longer shown. */
  readonly dismiss: () => void
  readonly isUnsaved: () => boolean
  readonly giveUp: () => void
}

/** A form with its values, what is wrong with them, and the controls of its fields. */
export interface FormState<Values extends object> extends FormHandle {
  readonly values: Values
  readonly isDirty: boolean
  /** Sends the form; with `part`, after that was put into it. */
  readonly submit: (part?: Partial<Values>) => void
  /** The message at each field: the server's refusal, else the problem that `check` found once it was sent or left. */
  readonly errors: Partial<Record<keyof Values, string>>
  readonly set: (part: Partial<Values> | ((values: Values) => Partial<Values>)) => void
  /** Puts other values in, or the first ones, as if they had just been loaded. */
  readonly reset: (values?: Values) => void
  /** Properties of the control of a text: `<TextField label={…} {...form.text('name')} />`. */
  readonly text: (field: KeyOf<Values, string>) => TextControl
  /** Properties of the control of a switch. */
  readonly flag: (field: KeyOf<Values, boolean>) => FlagControl
}

interface TextControl {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onBlur: () => void
  readonly error: string | undefined
}

interface FlagControl {
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

type KeyOf<Values, Value> = {
  [Key in keyof Values]: Values[Key] extends Value ? Key : never
}[keyof Values]

/** Holds what is typed into a form, checks it, sends it and keeps it until it is safe. */
export function useForm<Values extends object, Problem extends string = never>(
  rules: FormRules<Values, Problem>,
): FormState<Values> {
  const client = useQueryClient()
  const [opened, setOpened] = useState(rules.initial)
  const [values, setValues] = useState(opened)
  const [isChecked, setChecked] = useState(false)
  const [left, setLeft] = useState<ReadonlySet<keyof Values>>(new Set())
  const [refused, setRefused] = useState<Partial<Record<keyof Values, string>>>({})
  const [failure, setFailure] = useState<unknown>(null)
  // A drawer closes in the moment of its save: the guard then asks before the view was drawn again.
  const isSafe = useRef(false)
  const isDirty = !isSameForm(values, opened)
  const send = useMutation({
    mutationFn: (sent: Values) => rules.save(sent, opened),
    meta: { isSaidElsewhere: () => true },
    onSuccess: (_, sent) => {
      isSafe.current = true
      setOpened(sent)
      setChecked(false)
      setLeft(new Set())
      rules.onSaved?.(sent)
    },
    onError: (error) => {
      const field = refusedField(error, rules.refusals ?? {})
      if (field === undefined) setFailure(error)
      else setRefused({ [field]: error.message } as Partial<Record<keyof Values, string>>)
    },
    onSettled: () =>
      Promise.all((rules.refresh ?? []).map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
  const problems: Problems<Values, Problem> = rules.check?.(values) ?? {}
  const set: FormState<Values>['set'] = (part) => {
    isSafe.current = false
    setFailure(null)
    setRefused((old) => (typeof part === 'function' ? {} : withoutFields(old, Object.keys(part))))
    setValues((old) => ({ ...old, ...(typeof part === 'function' ? part(old) : part) }))
  }
  const submit = (part: Partial<Values> = {}) => {
    const sent = { ...values, ...part }
    setValues(sent)
    setChecked(true)
    setFailure(null)
    setRefused({})
    if (Object.keys(rules.check?.(sent) ?? {}).length === 0 && !send.isPending) send.mutate(sent)
  }
  const errors: Partial<Record<keyof Values, string>> = { ...refused }
  for (const [key, problem] of Object.entries(problems) as [keyof Values, Problem][])
    if ((isChecked || left.has(key)) && errors[key] === undefined)
      errors[key] = rules.say?.(problem, key) ?? problem
  const leaveField = (field: keyof Values) => {
    // Nobody is told off for a field that they only passed.
    if (values[field] !== opened[field]) setLeft((old) => new Set([...old, field]))
  }
  return {
    values,
    isDirty,
    errors,
    isBusy: send.isPending,
    failure,
    refused,
    set,
    submit,
    dismiss: () => setFailure(null),
    isUnsaved: () => isDirty && !isSafe.current,
    giveUp: useCallback(() => {
      isSafe.current = true
    }, []),
    reset: (next = opened) => {
      setOpened(next)
      setValues(next)
      setChecked(false)
      setLeft(new Set())
      setRefused({})
      setFailure(null)
    },
    text: (field) => ({
      value: values[field] as string,
      onChange: (value) => set({ [field]: value } as unknown as Partial<Values>),
      onBlur: () => leaveField(field),
      error: errors[field],
    }),
    flag: (field) => ({
      isOn: values[field] as boolean,
      onChange: (isOn) => set({ [field]: isOn } as unknown as Partial<Values>),
    }),
  }
}
