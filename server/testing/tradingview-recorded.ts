/** Responses known from public connectors. The stand-in must have their form, and the shop's client must understand them. */
export const recorded = {
  /** `GET /username_hint/?s=…`: a search. One implementer was also given `{ results: […] }`. */
  hint: [{ username: 'ada_trades' }, { username: 'ada_trades_2' }],
  /** `POST /pine_perm/list_users/`: dates with microseconds; without `expiration`, it has no end. */
  list: {
    results: [
      {
        id: 4711,
        username: 'ada_trades',
        userpic: null,
        expiration: '2022-11-30T23:59:59.999000+00:00',
        created: '2022-10-30T08:15:30.123456+00:00',
      },
      { id: 4710, username: 'TrendFollower', userpic: null, created: '2022-10-29T17:01:02.000000+00:00' },
    ],
    next: '/pine_perm/list_users/?limit=20&order_by=-created&c=cD0yMDIyLTEwLTI5',
  },
  lastPage: { results: [], next: null },
  done: { status: 'ok' },
  exists: { status: 'exists' },
  notThere: { status: 'not_exists' },
  scripts: ['PUB;4f1c2a9be07d4c3f8a5560d1e2b3c4d5'],
  named: [{ scriptIdPart: 'PUB;4f1c2a9be07d4c3f8a5560d1e2b3c4d5', scriptName: 'Rebound Sigma Pro' }],
  badPage: { detail: 'bad_pagination_request' },
  loggedOut: { detail: 'Authentication credentials were not provided.' },
  notOwner: { detail: 'You are not the owner of this script.' },
}
