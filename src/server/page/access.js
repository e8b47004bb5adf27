// Who the visitor is: the token that is sent with each request, and the rights that it gives.
import {ask, field} from './actions.js';
import {hasToken, setToken} from './api.js';
import {h} from './dom.js';
import {live, reconnect} from './live.js';

export function who() {
  const rights = live.rights;
  if (!rights) return hasToken() ? 'A token is sent with each request.' : 'No token is sent.';
  const all = rights.rights ? `${rights.rights} on all tables` : 'no right on all tables';
  return `${rights.user ? `You are ${rights.user}` : 'You come without a token'}: ${all}${
      rights.grants ? `; ${rights.grants}` : ''}.`;
}

export function access() {
  const token = h('input', {type: 'password', autocomplete: 'off', spellcheck: 'false', 'data-first': true});
  const keep = h('input', {type: 'checkbox'});
  const forget =
      h('button', {
        type: 'button',
        on: {
          click: () => {
            setToken('', false);
            dialog.close();
            reconnect();
          }
        }
      },
        'Forget the token');
  const dialog = ask({
    title: 'Access',
    verb: 'Use this token',
    body: [
      h('p', {}, who()), field('Token', token, 'as `fastjournal user add` printed it'),
      h('label', {class: 'check'}, keep, ' Keep it in this tab over reloads, until the tab is closed (sessionStorage)'),
      h('p', {class: 'note'},
        'Otherwise it is in the memory of this page only. It is sent as a header to this daemon alone, never in an ' +
            'address or a cookie.'),
      hasToken() ? h('p', {}, forget) : null
    ],
    async run() {
      setToken(token.value.trim(), keep.checked);
      reconnect();
      return token.value.trim() === '' ? 'No token is sent any more.' : 'The token is sent from now on.';
    },
  });
}
