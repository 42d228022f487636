// What jQuery shows when it renders first: each text stands once in this file.
// shown: heading document.querySelector('h1').textContent
// shown: city document.querySelector('#city').textContent
// shown: second document.querySelector('.row:nth-child(2) b').textContent
// shown: third document.querySelector('.row:nth-child(3) b').textContent
// shown: title document.querySelector('#link').title
import $ from 'jquery';
const user = { name: 'the heading', city: 'the city', title: 'the title' };
const items = [{ label: 'the first label' }, { label: 'the second label' }, { label: 'the third label' }];
const show = (text) => text;
const list = $('<ul>');
for (const item of items) list.append($('<li class=row>').append($('<b>').text(item.label), ' ', '<i>in stock</i>'));
$(document.body).append($('<h1>').text(show(user.name)), $('<p id=city>').html(user.city), list);
$('<a id=link>more</a>').attr('title', user.title).appendTo(document.body);
setTimeout(() => console.log('asked here'), 50);
