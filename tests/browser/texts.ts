import enScreens from '../../console/src/locales/en-screens.json' with { type: 'json' }
import en from '../../console/src/locales/en.json' with { type: 'json' }
import zhScreens from '../../console/src/locales/zh-screens.json' with { type: 'json' }
import zh from '../../console/src/locales/zh.json' with { type: 'json' }

/** The console's own texts, so that tests find things by what people read and not by how they are built. */
type Texts = typeof en & typeof enScreens
/** `section.name` of every plain text. */
type Key = {
  [Section in keyof Texts]: {
    [Name in keyof Texts[Section]]: Texts[Section][Name] extends string
      ? `${Section}.${Name & string}`
      : never
  }[keyof Texts[Section]]
}[keyof Texts]

/** Looks texts up in one language; `{{name}}` is filled in. */
export function textsOf(language: 'zh' | 'en') {
  const texts: Readonly<Record<string, Readonly<Record<string, unknown>>>> =
    language === 'zh' ? { ...zh, ...zhScreens } : { ...en, ...enScreens }
  return (key: Key, values: Readonly<Record<string, string>> = {}): string => {
    const [section = '', name = ''] = key.split('.')
    const text = texts[section]?.[name]
    if (typeof text !== 'string') throw new Error(`the console has no text ${key} in ${language}`)
    return text.replaceAll(/\{\{(\w+)\}\}/gu, (_, value: string) => values[value] ?? '')
  }
}
