$(function () {
  const CSV = `
    101;Brown;120
    102;Clark;75
    103;Brown;30
    104;Davis;210
    105;Clark;25`;

  const orders = _.map(_.split(_.trim(CSV), '\n'), (line) => {
    const [id, customer, amount] = _.split(_.trim(line), ';');
    return { id: Number(id), customer, amount: Number(amount) };
  });

  function showOrders() {
    $('#orders').empty();
    _.forEach(orders, (order) => {
      $('<tr>')
        .append($('<td>').text(order.id))
        .append($('<td>').text(order.customer))
        .append($('<td>').text(order.amount))
        .append($('<button class="correct">').attr('data-id', order.id).text(`Correct ${order.id}`))
        .appendTo('#orders');
    });
  }

  function summarize(group, customer) {
    return {
      customer,
      group,
      total: _.sumBy(group, 'amount'),
    };
  }

  function showSummary(summary) {
    const cells = [summary.customer, summary.group.length, summary.total];
    $('<tr>').append(_.map(cells, (cell) => $('<td>').text(cell))).appendTo('#customers');
  }

  /** One row for each customer, those with the highest totals first. */
  function showCustomers() {
    const summaries = _.map(_.groupBy(orders, 'customer'), summarize);
    $('#customers').empty();
    _.forEach(_.orderBy(summaries, ['total'], ['desc']), showSummary);
  }

  const refresh = _.debounce(showCustomers, 20);

  $('#orders').on('click', '.correct', (event) => {
    const id = $(event.currentTarget).data('id');
    $('#correction').data('id', id).prop('hidden', false);
    $('#number').text(id);
    $('#amount').val('').trigger('focus');
  });

  function submitCorrection(event) {
    event.preventDefault();
    const correction = {
      id: $('#correction').data('id'),
      field: 'amount',
      value: $('#amount').val(),
    };
    $('#correction').prop('hidden', true);
    $(document).trigger('order:correct', [correction]);
  }

  function correctOrder(event, correction) {
    const order = _.find(orders, { id: correction.id });
    order[correction.field] = correction.value;
    showOrders();
    refresh();
  }

  $('#correction').on('submit', submitCorrection);
  $(document).on('order:correct', correctOrder);
  showOrders();
  showCustomers();
});
