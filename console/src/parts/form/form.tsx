import type { ComponentProps, FormEvent, KeyboardEvent } from 'react'

/**
 * A form whose fields are checked by its screen. Ctrl-Enter (⌘-Enter) sends it from any field. When something is wrong
 * on sending, the first such field is brought into view and focused: on a phone it is often out of sight, and a screen
 * reader then reads what is wrong.
 */
export function Form({ onSubmit, ...props }: FormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // A dialog drawn from inside a form is not part of it on the page, but React hands its events up.
    event.stopPropagation()
    onSubmit()
    const form = event.currentTarget
    // By the next frame the fields show what is wrong with them.
    requestAnimationFrame(() => focusFirstInvalid(form))
  }
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys typed in its fields, nothing of its own.
  return <form {...props} noValidate onSubmit={submit} onKeyDown={submitByKey} />
}

type FormProps = Omit<ComponentProps<'form'>, 'onSubmit' | 'onKeyDown' | 'noValidate'> & {
  onSubmit: () => void
}

function submitByKey(event: KeyboardEvent<HTMLFormElement>): void {
  const isSend = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
  if (!isSend || !event.currentTarget.contains(event.target as Node)) return
  event.preventDefault()
  if (event.repeat) return
  const form = event.currentTarget
  const button = [...form.elements].find(isSubmitButton)
  // The button decides, as for Enter: while it is busy or disabled, nothing is sent.
  if (button) button.click()
  else form.requestSubmit()
}

const isSubmitButton = (element: Element): element is HTMLButtonElement =>
  element instanceof HTMLButtonElement && element.type === 'submit'

/** Brings the first field with something wrong into view and gives it the focus. */
export function focusFirstInvalid(form: HTMLElement): void {
  const field = form.querySelector<HTMLElement>('[aria-invalid=true]')
  field?.scrollIntoView({ block: 'center' })
  field?.focus({ preventScroll: true })
}
