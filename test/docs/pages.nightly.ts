/** The pages that `npm test` leaves out, because their commands start programs. */
import { CLIENT_PAGES, PAGES, PAGES_OF_EACH_RUN, RUN_ELSEWHERE, SLOW_PAGES } from './pages';
import { testPages } from './run-pages';

const elsewhere = [...PAGES_OF_EACH_RUN, ...SLOW_PAGES, ...CLIENT_PAGES, ...Object.keys(RUN_ELSEWHERE)];

testPages(PAGES.filter((page) => !elsewhere.includes(page)));
