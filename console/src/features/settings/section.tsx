import { Box, Flex, Heading, Text } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { BusyButton } from '../../parts/busy-button.tsx'
import { Panel } from '../../parts/page.tsx'
import { Form } from '../../parts/form/form.tsx'

/** A titled group of settings with a save button of its own; `id` lets the address point at it. */
export function Section(props: {
  id: string
  title: string
  help?: string
  /** Within another section, whose chosen tab says the title. */
  isInner?: boolean
  /** How many settings were changed and not saved. */
  unsaved?: number
  isBusy?: boolean
  onSave?: () => void
  actions?: ReactNode
  children: ReactNode
}) {
  const { t } = useTranslation()
  const { onSave, unsaved = 0 } = props
  const Surface = props.isInner ? Box : Panel
  return (
    <Surface
      as="section"
      id={props.id}
      scrollMarginTop="12px"
      {...(props.isInner ? { 'aria-label': props.title } : { p: { base: '4', md: '5' } })}
    >
      {props.isInner ? null : (
        <Heading as="h2" size="sm" fontWeight="600">
          {props.title}
        </Heading>
      )}
      {props.help ? <Text color="fg.muted">{props.help}</Text> : null}
      {onSave ? (
        <Form onSubmit={onSave}>
          <Box mt="4">{props.children}</Box>
          <Flex mt="5" gap="2" wrap="wrap">
            <BusyButton
              type="submit"
              size="sm"
              variant={unsaved > 0 ? 'solid' : 'outline'}
              // It looks so, and still says that nothing was changed.
              aria-disabled={unsaved === 0}
              isBusy={props.isBusy ?? false}
              aria-label={t('settings.saveOf', { title: props.title })}
            >
              {unsaved > 0 ? t('settings.saveCount', { n: unsaved }) : t('action.save')}
            </BusyButton>
            {props.actions}
          </Flex>
        </Form>
      ) : (
        <Box mt="4">{props.children}</Box>
      )}
    </Surface>
  )
}
