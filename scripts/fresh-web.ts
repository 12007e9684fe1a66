import { buildWeb, isWebStale } from './build-web.ts'

/** Set-up of tests that open pages: they are the present ones. */
export default async function freshWeb() {
  if (await isWebStale()) await buildWeb()
}
