import { escapeHtml } from '../security/escape-html.ts'

/**
 * A page whose form holds what was typed, except passwords. The page is React's own HTML, which escapes `>` and
 * `"` in attributes, so a tag ends where it seems to.
 */
export function refill(html: string, action: string, typed: Record<string, string>) {
  const forms = new RegExp(`<form[^>]* action="${action}(?:#[^"]+)?"[^>]*>.*?</form>`, 'gs')
  return html.replace(forms, (form) =>
    form.replace(
      /<(input|textarea)([^>]*?)\/?>(?:[^<]*<\/textarea>)?/g,
      (field, tag: string, attributes: string) => {
        const [value, type] = [typed[attributeOf(attributes, 'name')], attributeOf(attributes, 'type')]
        if (value === undefined || type === 'password') return field
        // A textarea drops the first line break of its content.
        if (tag === 'textarea') return `<textarea${attributes}>\n${escapeHtml(value)}</textarea>`
        if (type !== 'radio' && type !== 'checkbox')
          return `<input${without(attributes, 'value')} value="${escapeHtml(value)}"/>`
        const isChosen = attributeOf(attributes, 'value') === escapeHtml(value)
        return `<input${without(attributes, 'checked')}${isChosen ? ' checked=""' : ''}/>`
      },
    ),
  )
}

const attributeOf = (attributes: string, name: string) =>
  new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1] ?? ''

const without = (attributes: string, name: string) => attributes.replace(new RegExp(` ${name}="[^"]*"`), '')
