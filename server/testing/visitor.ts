import { createCaller } from '#contract/call.ts'

export type Visitor = ReturnType<typeof createVisitor>

export function createVisitor(url: string, proxyHeaders: Record<string, string> = {}) {
  const jar = new Map<string, string>()
  const browse = async (address: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    for (const [name, value] of Object.entries(proxyHeaders)) headers.set(name, value)
    if (jar.size > 0) headers.set('cookie', cookieHeader({ cookies: jar }))
    const response = await fetch(new URL(address, url), { redirect: 'manual', ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';')
      const [name = '', ...value] = pair.split('=')
      const isDeleted = attributes.some((attribute) => /^\s*(max-age=0$|expires=Thu, 01 Jan 1970)/i.test(attribute))
      if (isDeleted) jar.delete(name)
      else jar.set(name, value.join('='))
    }
    return response
  }
  return { ...createCaller(browse), fetch: browse, cookies: jar }
}

export const cookieHeader = ({ cookies }: { cookies: ReadonlyMap<string, string> }) =>
  [...cookies].map((pair) => pair.join('=')).join('; ')
