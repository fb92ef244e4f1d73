import type { ComponentProps, FormEvent } from 'react'

/**
 * A form whose fields are checked by its screen. When something is wrong on sending, the first such field is brought
 * into view and focused: on a phone it is often out of sight, and a screen reader then reads what is wrong.
 */
export function Form({ onSubmit, ...props }: FormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSubmit()
    const form = event.currentTarget
    // By the next frame the fields show what is wrong with them.
    requestAnimationFrame(() => focusFirstInvalid(form))
  }
  return <form {...props} noValidate onSubmit={submit} />
}

type FormProps = Omit<ComponentProps<'form'>, 'onSubmit' | 'noValidate'> & { onSubmit: () => void }

function focusFirstInvalid(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLElement>('[aria-invalid=true]')
  field?.scrollIntoView({ block: 'center' })
  field?.focus({ preventScroll: true })
}
