import type { PaymentForm } from './queries.ts'

/** Leads this window to the payment gateway with the order's form, which is signed and has to arrive as it is. */
export function postToGateway({ url, fields }: PaymentForm): void {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = url
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input')
    input.type = 'hidden'
    input.name = name
    input.value = value
    form.append(input)
  }
  document.body.append(form)
  form.submit()
  form.remove()
}
