import { Button, chakra, Flex } from '@chakra-ui/react'
import { Link } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { TAB } from '../../parts/tabs.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import type { PriceView } from './filters.ts'
import { PRICE_VIEWS } from './filters.ts'
import { OptionSection } from './option-section.tsx'
import { useResetRatios } from './queries.ts'
import { Section } from './section.tsx'
import type { SettingsEditor } from './use-settings.ts'

/** The table of model prices, for all models or those without one. */
export type PriceEditorView = ComponentType<{ view: Exclude<PriceView, 'json'> }>

/** The section of model prices: the options' JSON, a table of all models, and a table of those without a price. */
export function PriceSection(props: {
  view: PriceView
  editor: SettingsEditor
  PriceEditor: PriceEditorView
}) {
  const { t } = useTranslation()
  const { view, PriceEditor } = props
  return (
    <Section id="prices" title={t('settings.section_prices')} help={t('settings.pricesHelp')}>
      <Flex
        as="nav"
        gap="1"
        mb="4"
        overflowX="auto"
        borderBottomWidth="1px"
        aria-label={t('settings.section_prices')}
      >
        {PRICE_VIEWS.map((name) => (
          <chakra.span key={name} asChild flexShrink="0" css={TAB}>
            <Link
              to="/setting"
              search={{ tab: 'operation', prices: name }}
              resetScroll={false}
              {...(name === view ? { 'aria-current': 'page' as const } : {})}
            >
              {t(`settings.prices_${name}`)}
            </Link>
          </chakra.span>
        ))}
      </Flex>
      {view === 'json' ? <RatioTexts editor={props.editor} /> : <PriceEditor view={view} />}
    </Section>
  )
}

function RatioTexts({ editor }: { editor: SettingsEditor }) {
  const { t } = useTranslation()
  const [isAsking, setAsking] = useState(false)
  const reset = useResetRatios(() => {
    setAsking(false)
    editor.undo('ModelRatio')
    notifySuccess(t('settings.resetRatiosDone'))
  })
  return (
    <OptionSection
      name="modelRatios"
      isInner
      editor={editor}
      actions={
        <Button size="sm" variant="ghost" onClick={() => setAsking(true)}>
          {t('settings.resetRatios')}
        </Button>
      }
    >
      <ConfirmDialog
        isOpen={isAsking}
        isDanger
        title={t('settings.resetRatiosTitle')}
        consequence={t('settings.resetRatiosText')}
        confirmLabel={t('settings.resetRatios')}
        isBusy={reset.isPending}
        onConfirm={() => reset.mutate()}
        onClose={() => setAsking(false)}
      />
    </OptionSection>
  )
}
